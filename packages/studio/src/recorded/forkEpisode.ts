import { forkOf, type Job, type Oracle, type Policy, runEpisodes, type TaskSessions } from '@gyre/agent';
import type { Lake } from '@gyre/lake';
import type { Episode } from '@gyre/protocol';
import { openTask } from '@gyre/tasks';
import { attemptSeed } from '@gyre/training';
import { recordedTask } from './recordedTask.js';

export interface ForkTerms {
  readonly lake: Lake;
  readonly pool: TaskSessions;
  /** Turns of the episode that are replayed. */
  readonly turn: number;
  /** Continuations, each with another seed. */
  readonly attempts: number;
  readonly seed: number;
  readonly policy: Policy | Oracle;
  /** Recent screenshots that the policy sees. */
  readonly screenshots: number;
  /** Attempts played at once. */
  readonly sessions: number;
  readonly search?: Job['search'];
  readonly signal: AbortSignal;
}

/**
 * Replays the first turns of an episode, lets a policy continue, and yields the new episodes as they end. They are in
 * the lake and name their origin.
 *
 * @throws GyreError `bad_input` for an episode that cannot be replayed, or has fewer turns; `corrupt` for a replayed
 * frame that differs
 */
export async function* forkEpisode(from: Episode, terms: ForkTerms): AsyncGenerator<Episode> {
  const { lake, pool, turn, attempts, seed, screenshots, sessions, search, signal } = terms;
  const instance = recordedTask(from);
  const { fork, policy } = forkOf(from, turn, terms.policy);
  const { task } = from;
  const jobs = Array.from({ length: attempts }, (_, attempt): Job => {
    const open: Job['open'] = (machines) => openTask({ ...instance, task }, machines);
    return { task, open, purpose: 'fork', seed: attemptSeed(task, seed, attempt), fork, search };
  });
  yield* runEpisodes({ pool, lake, jobs, signal, policy, screenshots, concurrency: Math.min(sessions, attempts) });
}
