import { once, setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Environment, type Episode, GyreError, type Task } from '@gyre/protocol';
import type { Machines, Session, SessionNeeds } from '@gyre/sandbox';
import { sessionSdk } from '../tools/sdk.js';
import type { SearchService } from '../tools/searchService.js';
import { untilAborted } from './abort.js';
import { type EpisodeOptions, isInfra, runEpisode } from './episode.js';
import { KeptSession } from './keptSession.js';

/** One episode to play. Carries its seed, so that results do not depend on session or order. */
export interface Job extends Pick<EpisodeOptions, 'purpose' | 'seed' | 'fork'> {
  readonly task: Task;
  /** Opens the task, once per attempt. */
  readonly open: (machines: Machines) => Environment;
  /** Adds the surface `search`. Default: none. */
  readonly search?: SearchService | undefined;
  /** Replaces the run's policy, as for forks. */
  readonly policy?: EpisodeOptions['policy'];
}

export interface EpisodesOptions extends Pick<
  EpisodeOptions,
  'policy' | 'lake' | 'screenshots' | 'signal' | 'now' | 'decisionMs' | 'episodeMs'
> {
  readonly pool: Pick<Machines, 'lease'>;
  /** Pulled one at a time by free workers. */
  readonly jobs: Iterable<Job> | AsyncIterable<Job>;
  /**
   * False skips screenshots for policies that ignore them; frames then have no bytes. Overridden by a lake. Default
   * true.
   */
  readonly pictures?: boolean | undefined;
  /** Parallel episodes and sessions. */
  readonly concurrency: number;
  /**
   * Restarts of a job after an infrastructure error, in a new session, and retries of a decision. Policy failures never
   * restart a job: failing would be a way to avoid losing. Default 1.
   */
  readonly retries?: number;
  /** Called for every ended episode, including cut and failed ones. */
  readonly onEpisode?: (episode: Episode, job: Job) => void;
  /** Called for every finished job, without an episode if given up; not for cut jobs. */
  readonly onOver?: (job: Job, episode?: Episode) => void;
  /** Called for every infrastructure fault, fatal or survived. */
  readonly onFailure?: (failure: GyreError, job: Job) => void;
}

/** A job without a verdict after all tries. Counts as a failure. */
export interface GivenUp {
  readonly task: Task;
  readonly seed: number;
  readonly message: string;
}

/** Episodes by end. */
export interface EpisodeCounts {
  finished: number;
  /** Includes `stuck`. */
  outOfBudget: number;
  /** Broken by the agent's own actions; judged failures. */
  agentFaults: number;
  /** Includes faults before the first screenshot. */
  infraErrors: number;
  /** Faults that were survived or led to a restart. */
  retried: number;
  /** Ended by the signal, the consumer, or an error elsewhere in the run. */
  cut: number;
}

/** Consecutive failed attempts per worker before the run is given up. */
const hopeless = 10;

/** Episodes in order of completion, with the counts so far, also returned. */
export type Episodes = AsyncGenerator<Episode, EpisodeCounts, void> & {
  readonly counts: Readonly<EpisodeCounts>;
  /** Abandoned tasks; success rates count them as failures. */
  readonly givenUp: readonly GivenUp[];
};

/**
 * Plays many episodes in parallel. Reuses pages for the same screen size. Starts with the first `next()`.
 *
 * Yields only episodes with a verdict, so that an `infra_error` is never taken for a reward of 0; see `givenUp` and the
 * counts for the others. About `concurrency` results wait for a slow consumer.
 *
 * Ends with the jobs, the `signal` or the consumer, cutting open episodes and releasing every session.
 *
 * @throws GyreError 'bad_input' if `concurrency` is not a positive integer.
 * @throws GyreError 'infra' after 10 times `concurrency` consecutive failures.
 * @throws the first other error of a policy, task, lake or pool, after closing all episodes.
 */
export function runEpisodes(options: EpisodesOptions): Episodes {
  const { concurrency } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new GyreError('bad_input', `concurrency is ${concurrency}`, {
      field: 'concurrency',
      fix: 'give an integer of 1 or more',
    });
  }
  const counts: EpisodeCounts = {
    ...{ finished: 0, outOfBudget: 0, agentFaults: 0, infraErrors: 0, retried: 0, cut: 0 },
  };
  const givenUp: GivenUp[] = [];
  return Object.assign(stream(options, counts, givenUp), { counts, givenUp });
}

async function* stream(
  options: EpisodesOptions,
  counts: EpisodeCounts,
  givenUp: GivenUp[],
): AsyncGenerator<Episode, EpisodeCounts, void> {
  const { jobs, concurrency, signal } = options;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // Every worker listens.
  const forward = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener('abort', forward, { once: true });

  const source = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  const next = async (): Promise<IteratorResult<Job>> => source.next();
  const ended = new PassThrough({ objectMode: true, readableHighWaterMark: concurrency, writableHighWaterMark: 1 });
  ended.setMaxListeners(0); // Every worker may wait.
  const deliver = async (episode: Episode): Promise<void> => {
    if (ended.destroyed || ended.write(episode)) return;
    await untilAborted(once(ended, 'drain'), stop.signal);
  };

  let failuresInARow = 0;
  const onAttempt = (failure: GyreError | undefined): void => {
    failuresInARow = failure === undefined ? 0 : failuresInARow + 1;
    if (failuresInARow < hopeless * concurrency) return;
    throw new GyreError('infra', `${failuresInARow} attempts in a row failed, the last with: ${failure?.message}`, {
      part: failure?.detail.part ?? 'machine',
      fix: 'see that browsers start here and that the policy answers; `gyre doctor` checks this machine',
      cause: failure,
    });
  };

  let failure: { error: unknown } | undefined;
  const workers = Array.from({ length: concurrency }, () =>
    work(options, next, deliver, onAttempt, { counts, givenUp }, stop.signal).catch((error: unknown) => {
      failure ??= { error };
      stop.abort(error);
    }),
  );
  const allDone = Promise.all(workers).then(() => {
    ended.end();
  });

  try {
    for await (const episode of ended) yield episode as Episode;
    if (failure !== undefined) throw failure.error;
    return counts;
  } finally {
    signal?.removeEventListener('abort', forward);
    stop.abort();
    await allDone;
    await source.return?.();
  }
}

/** Plays jobs in sequence. */
async function work(
  options: EpisodesOptions,
  next: () => Promise<IteratorResult<Job>>,
  deliver: (episode: Episode) => Promise<void>,
  onAttempt: (failure: GyreError | undefined) => void,
  { counts, givenUp }: { counts: EpisodeCounts; givenUp: GivenUp[] },
  signal: AbortSignal,
): Promise<void> {
  const { policy, lake, screenshots, now, decisionMs, episodeMs, retries = 1, onEpisode } = options;
  const kept = new KeptSession({ lease: (needs) => leaseUnlessAborted(options, needs, signal) });

  /** Returns the attempt's episode, or the error if none started. */
  const attempt = async (job: Job, alone: boolean): Promise<Episode | GyreError> => {
    kept.alone = alone;
    kept.sdk = sessionSdk(job.search);
    const onRetry = (fault: GyreError): void => {
      counts.infraErrors++;
      counts.retried++;
      options.onFailure?.(fault, job);
    };
    const environment = job.open(kept);
    try {
      const limits = { decisionMs, episodeMs, retries };
      const run = { policy: job.policy ?? policy, lake, screenshots, signal, now };
      const episode = await runEpisode({ ...job, ...limits, ...run, environment, reproduce: true, onRetry });
      await environment.close().catch(() => undefined);
      // Do not reuse a page that the agent broke.
      if (episode.end.state === 'agent_fault') await kept.close().catch(() => undefined);
      onEpisode?.(episode, job);
      return episode;
    } catch (error) {
      if (!isInfra(error)) throw error;
      return error;
    } finally {
      await environment.close().catch(() => undefined);
    }
  };

  try {
    while (!signal.aborted) {
      const item = await untilAborted(next(), signal);
      if (item === undefined || item.done) return;
      const job = item.value;
      for (let tries = 0; ; tries++) {
        // Retry in a browser of its own, safe from a destructive neighbour.
        const outcome = await attempt(job, tries > 0);
        const failure = failureOf(outcome);
        if (failure === undefined) {
          const episode = outcome as Episode;
          onAttempt(undefined);
          count(counts, episode);
          if (episode.end.state === 'cut') break;
          options.onOver?.(job, episode);
          await deliver(episode);
          break;
        }
        // Stopping the run causes failures.
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a signal may abort while this waits
        if (signal.aborted) return;
        counts.infraErrors++;
        options.onFailure?.(failure, job);
        onAttempt(failure);
        await kept.close().catch(() => undefined); // A broken session may fail to close.
        if (tries < retries && mayStartAgain(outcome)) {
          counts.retried++;
          continue;
        }
        givenUp.push({ task: job.task, seed: job.seed, message: failure.message });
        options.onOver?.(job);
        break;
      }
    }
  } finally {
    await kept.close().catch((error: unknown) => {
      if (!isInfra(error)) throw error;
    });
  }
}

/** Returns the failure of an attempt without a verdict; undefined if it has one or was cut. */
function failureOf(outcome: Episode | GyreError): GyreError | undefined {
  if (outcome instanceof GyreError) return outcome;
  if (outcome.end.state !== 'infra_error') return undefined;
  const { message, part } = outcome.end;
  return new GyreError('infra', message, { part: part ?? 'machine' });
}

/** A policy failure must not earn a second chance. */
function mayStartAgain(outcome: Episode | GyreError): boolean {
  if (outcome instanceof GyreError || outcome.end.state !== 'infra_error') return true;
  const { part } = outcome.end;
  return part !== 'policy' && part !== 'model_server';
}

function count(counts: EpisodeCounts, { end: { state } }: Episode): void {
  if (state === 'cut') counts.cut++;
  else if (state === 'finished') counts.finished++;
  else if (state === 'agent_fault') counts.agentFaults++;
  else counts.outOfBudget++;
}

async function leaseUnlessAborted(
  { pool, lake, pictures = true }: EpisodesOptions,
  needs: SessionNeeds,
  signal: AbortSignal,
): Promise<Session> {
  const lease = pool.lease({ ...needs, pictures: pictures || lake !== undefined });
  const session = await untilAborted(lease, signal);
  if (session) return session;
  void lease.then((late) => late.release()).catch(() => undefined);
  throw new GyreError('infra', 'the run was stopped', { part: 'lease' });
}
