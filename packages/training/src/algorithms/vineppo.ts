import { GyreError } from '@gyre/protocol';
import { familyOf } from '@gyre/tasks';
import { segmentAdvantages } from '../advantages/advantage.js';
import type { Baseline } from '../advantages/baseline.js';
import type { Estimate, ScoredRollout } from '../advantages/targets.js';
import { compareWithBaseline } from './reinforce.js';

/**
 * Estimates advantages by Monte-Carlo values of the rollouts (VinePPO, Kazemnejad et al. 2024, arXiv 2410.01679),
 * centred on the family's other episodes. See `segmentAdvantages`.
 */
export function vineppoEstimates(
  scored: readonly ScoredRollout[],
  { gamma }: { readonly gamma: number },
  baseline: Baseline,
): Estimate[] {
  const estimates = scored.map((episode) => {
    const { rollout, rewards, returns } = episode;
    const values = rollout.decisions.map(({ turn }) => rollout.values?.get(turn));
    return {
      scored: episode,
      advantages: segmentAdvantages({ rewards, values, gamma }),
      values: new Float64Array(rewards.length),
      valueTargets: returns,
    };
  });
  return compareWithBaseline(estimates, baseline, 'family');
}

interface ForkedTraining {
  readonly families: readonly string[];
  readonly ppo: { readonly advantage: string; readonly kl: number };
}

/** @throws GyreError 'bad_input' for a setting that VinePPO cannot train with */
export function expectForkable({ families, ppo }: ForkedTraining): void {
  if (ppo.advantage !== 'vineppo') return;
  const onMachine = families.find((name) => familyOf(name).kind !== undefined);
  if (onMachine !== undefined) {
    throw new GyreError('bad_input', `the episodes of ${onMachine} cannot be forked: machines are not frame-exact`, {
      field: 'families',
      fix: 'choose families of pages, or another ppo.advantage',
    });
  }
  if (ppo.kl > 0) {
    throw new GyreError('bad_input', 'vineppo does not support a penalty for divergence', {
      field: 'ppo.kl',
      fix: 'set ppo.kl to 0, or choose another ppo.advantage',
    });
  }
}
