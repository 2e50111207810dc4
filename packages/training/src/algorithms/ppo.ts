import type { NativeEngine } from '@gyre/engine';
import { decoupledGae, lengthAdaptiveLambda } from '../advantages/advantage.js';
import type { Baseline } from '../advantages/baseline.js';
import type { Estimate, Rollout, ScoredRollout } from '../advantages/targets.js';
import { compareWithBaseline } from './reinforce.js';

/** Lambdas of the critic's targets and of the policy's advantages; `alpha` makes the latter depend on the episode's length. */
export interface PpoTerms {
  readonly lambdaCritic: number;
  readonly lambdaPolicy: number | { readonly alpha: number };
}

/** Returns the critic's values before the update, `[episode][decision]`. */
export async function criticValues(critic: NativeEngine, rollouts: readonly Rollout[]): Promise<number[][]> {
  const { values } = await critic.forward(rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)));
  let next = 0;
  return rollouts.map(({ decisions }) => decisions.map(() => values[next++]?.[0] ?? 0));
}

/**
 * Estimates advantages by decoupled GAE (VAPO, arXiv 2504.05118) with the critic's values, centred on the mean of the family's other
 * episodes. GAE steps from decision to decision, so the length that sets lambda counts decisions, not tokens.
 *
 * @param values `[rollout][decision]`, aligned with `scored`
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
