import type { NativeSequence } from '@gyre/engine';
import { type Episode, isAssisted } from '@gyre/protocol';
import type { Decision } from '../rollouts/dataset.js';
import { returns } from './advantage.js';

export interface Rollout {
  episode: Episode;
  decisions: Decision[];
  /** Monte-Carlo values of the states before some turns, by turn. For VinePPO. */
  values?: ReadonlyMap<number, number>;
}

export interface ScoredRollout {
  readonly rollout: Rollout;
  readonly rewards: Float64Array;
  readonly returns: Float32Array;
  /** Undiscounted, minus penalties. */
  readonly total: number;
}

/** `[decision]`. */
export interface Estimate {
  readonly scored: ScoredRollout;
  readonly advantages: ArrayLike<number>;
  /** Values before the update; 0 without a critic. */
  readonly values: ArrayLike<number>;
  readonly valueTargets: ArrayLike<number>;
}

export interface Target {
  decision: Decision;
  sequence: NativeSequence;
  value: number;
  return: number;
  /** Independent of the critic's own values, unlike `return`. */
  monteCarloReturn: number;
  succeeded: boolean;
}

/**
 * Returns rewards `[decision]`: each decision earns the rewards until the next one. Rewards before the first decision
 * are dropped.
 * @param penalties `[turn]`, subtracted from the rewards
 */
export function decisionRewards(
  { episode: { turns }, decisions }: { episode: Episode; decisions: readonly Pick<Decision, 'turn'>[] },
  penalties?: readonly number[],
): Float64Array {
  return Float64Array.from(decisions, ({ turn: first }, i) => {
    const next = decisions[i + 1]?.turn ?? turns.length;
    let sum = 0;
    for (let turn = first; turn < next; turn++) sum += (turns[turn]?.reward ?? 0) - (penalties?.[turn] ?? 0);
    return sum;
  });
}

/**
 * Scores rollouts, except cut or failed ones, and those in which a person took part. Running out of budget counts as an end: no value is bootstrapped.
 * @param penalties `[episode][turn]`, subtracted from the rewards
 */
export function scoreRollouts(
  rollouts: readonly Rollout[],
  gamma: number,
  penalties?: readonly number[][],
): (ScoredRollout & { readonly index: number })[] {
  return rollouts.flatMap((rollout, index) => {
    const { end, turns } = rollout.episode;
    if (end.state === 'infra_error' || end.state === 'cut' || isAssisted(rollout.episode)) return [];
    const rewards = decisionRewards(rollout, penalties?.[index]);
    const total = turns.reduce((sum, { reward }, turn) => sum + reward - (penalties?.[index]?.[turn] ?? 0), 0);
    return [{ index, rollout, rewards, returns: returns(rewards, gamma), total }];
  });
}

export function targetsOf(estimates: readonly Estimate[]): Target[] {
  const families = new Map<string, Target[]>();
  for (const { scored, advantages, values, valueTargets } of estimates) {
    const { episode, decisions } = scored.rollout;
    for (const [i, decision] of decisions.entries()) {
      const [sequence] = decision.datum.sequences;
      if (!sequence) continue;
      const [value, target] = [values[i] ?? 0, valueTargets[i] ?? 0];
      const family = families.get(decision.family) ?? [];
      family.push({
        decision,
        sequence: { ...sequence, advantages: sequence.action.map(() => advantages[i] ?? 0), return: target, value },
        value,
        return: target,
        monteCarloReturn: scored.returns[i] ?? 0,
        succeeded: episode.verdict?.success ?? false,
      });
      families.set(decision.family, family);
    }
  }
  return [...families.values()].flat();
}
