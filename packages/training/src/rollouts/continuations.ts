import { type Job, type Policy, forkOf } from '@gyre/agent';
import { Random } from '@gyre/engine';
import { type Episode, isAssisted } from '@gyre/protocol';
import { returns } from '../advantages/advantage.js';
import { type Rollout, decisionRewards } from '../advantages/targets.js';
import { mean } from '../metrics/statistics.js';
import { type DecisionView, trainableTurns } from './dataset.js';

export const continuationPurpose = 'continuation';

export interface ContinuationTerms {
  /** Decisions from one valued state to the next, from the first one on. */
  readonly every: number;
  /** Per valued state. */
  readonly continuations: number;
}

/** Returns jobs that fork an episode before its valued decisions, to play on with other sampling seeds. */
export function continuationJobs(
  job: Job,
  episode: Episode,
  policy: Policy,
  { every, continuations, reads }: ContinuationTerms & Pick<DecisionView, 'reads'>,
): Job[] {
  const valued = trainableTurns(episode, { reads }).filter((_, index) => index % every === 0);
  return valued.flatMap((turn) =>
    Array.from({ length: continuations }, (_, number): Job => {
      const seed = new Random(job.seed).fork(`continuation ${turn} ${number}`).int(2 ** 31);
      return { ...job, purpose: continuationPurpose, seed, ...forkOf(episode, turn, policy) };
    }),
  );
}

/**
 * Adds the values of forked states: the mean return of their continuations, discounted per decision. Drops rollouts
 * whose first state has no continuation, because of infrastructure errors.
 */
export function withValues(
  rollouts: readonly Rollout[],
  continuations: readonly Pick<Rollout, 'episode'>[],
  { gamma, reads }: { readonly gamma: number } & Pick<DecisionView, 'reads'>,
): Rollout[] {
  const returned = new Map<string, Map<number, number[]>>();
  for (const { episode } of continuations) {
    const { fork } = episode;
    if (!fork || isAssisted(episode)) continue;
    const decisions = trainableTurns(episode, { reads }).map((turn) => ({ turn }));
    const byTurn = returned.get(fork.episode) ?? new Map<number, number[]>();
    const total = returns(decisionRewards({ episode, decisions }), gamma)[0] ?? 0;
    byTurn.set(fork.turn, [...(byTurn.get(fork.turn) ?? []), total]);
    returned.set(fork.episode, byTurn);
  }
  return rollouts.flatMap((rollout) => {
    const byTurn = returned.get(rollout.episode.id);
    const first = rollout.decisions[0]?.turn;
    if (!byTurn || first === undefined || !byTurn.has(first)) return [];
    return [{ ...rollout, values: new Map([...byTurn].map(([turn, totals]) => [turn, mean(totals)])) }];
  });
}
