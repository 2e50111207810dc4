import type { TrainingEngine } from '@gyre/engine';
import { decoupledGae, lengthAdaptiveLambda } from '../advantages/advantage.js';
import type { Baseline } from '../advantages/baseline.js';
import type { Estimate, Rollout, ScoredRollout } from '../advantages/targets.js';
import { compareWithBaseline } from './reinforce.js';

/** `alpha` makes the policy's lambda depend on the episode's length. */
export interface PpoTerms {
  readonly lambdaCritic: number;
  readonly lambdaPolicy: number | { readonly alpha: number };
}

export async function criticValues(critic: TrainingEngine, rollouts: readonly Rollout[]): Promise<number[][]> {
  const { values } = await critic.forward(rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)));
  let next = 0;
  return rollouts.map(({ decisions }) => decisions.map(() => values[next++]?.[0] ?? 0));
}

/**
 * Estimates advantages by decoupled GAE (VAPO, arXiv 2504.05118), centred on the family's other episodes. Steps are
 * decisions, not tokens.
 * @param values `[rollout][decision]`
 */
export function ppoEstimates(
  scored: readonly ScoredRollout[],
  values: readonly (readonly number[])[],
  { gamma, lambdaCritic, lambdaPolicy }: PpoTerms & { readonly gamma: number },
  baseline: Baseline,
): Estimate[] {
  const estimates = scored.map((episode, index) => {
    const { rewards } = episode;
    const known = Float64Array.from(rewards, (_, i) => values[index]?.[i] ?? 0);
    const lambda =
      typeof lambdaPolicy === 'number' ? lambdaPolicy : lengthAdaptiveLambda(rewards.length, lambdaPolicy.alpha);
    const { advantages, returns } = decoupledGae({ rewards, values: known, gamma, lambdaCritic, lambdaPolicy: lambda });
    return { scored: episode, advantages, values: known, valueTargets: returns };
  });
  return compareWithBaseline(estimates, baseline, 'family');
}
