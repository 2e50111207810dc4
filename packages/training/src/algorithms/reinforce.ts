import type { Baseline } from '../advantages/baseline.js';
import type { Estimate, ScoredRollout } from '../advantages/targets.js';

export function reinforceEstimates(scored: readonly ScoredRollout[], baseline: Baseline): Estimate[] {
  const estimates = scored.map((episode) => ({
    scored: episode,
    advantages: episode.returns.slice(),
    values: new Float64Array(episode.rewards.length),
    valueTargets: episode.returns,
  }));
  return compareWithBaseline(estimates, baseline, 'turn');
}

export function compareWithBaseline(
  estimates: readonly (Estimate & { readonly advantages: Float32Array })[],
  baseline: Baseline,
  by: 'family' | 'turn',
): Estimate[] {
  const centred = baseline.advantages(
    estimates.map(({ scored: { rollout }, advantages }) => ({
      family: rollout.episode.task.family,
      difficulty: rollout.episode.task.difficulty,
      turns: rollout.decisions.map(({ turn }) => turn),
      estimates: advantages,
    })),
    by,
  );
  return estimates.map((estimate, index) => ({ ...estimate, advantages: centred[index] ?? estimate.advantages }));
}
