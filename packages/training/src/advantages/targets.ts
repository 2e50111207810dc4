import type { NativeSequence } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import type { Decision } from '../rollouts/dataset.js';
import { returns } from './advantage.js';

/** An episode with its decisions, as `decisions` reads them. */
export interface Rollout {
  episode: Episode;
  decisions: Decision[];
}

/** A rollout with its rewards. Arrays are `[decision]`. */
export interface ScoredRollout {
  readonly rollout: Rollout;
  /** Rewards less penalties. */
  readonly rewards: Float64Array;
  /** Monte-Carlo returns. */
  readonly returns: Float32Array;
  /** Undiscounted sum of the rewards less the penalties. */
  readonly total: number;
}

/** A scored rollout with what the policy and the critic learn from it. Arrays are `[decision]`. */
export interface Estimate {
  readonly scored: ScoredRollout;
  readonly advantages: ArrayLike<number>;
  /** Values of the critic before the update; 0 without one. */
  readonly values: ArrayLike<number>;
  /** Targets of the critic. */
  readonly valueTargets: ArrayLike<number>;
}

/** A decision with its advantage and its value target. */
export interface Target {
  decision: Decision;
  /** Carries the advantage of each token, the return and the value. */
  sequence: NativeSequence;
  value: number;
  /** Target of the critic. */
  return: number;
  /** Monte-Carlo return. Unlike `return` with a critic's lambda below 1, it does not depend on the critic's own values. */
  monteCarloReturn: number;
  /** Whether its episode succeeded. */
  succeeded: boolean;
}

/**
 * Returns the rewards of decisions, `[decision]`: each decision earns the rewards until the next one. A turn without a decision is no
 * step of time. Rewards before the first decision, such as those of copied turns, belong to no decision.
 *
 * @param penalties `[turn]`, subtracted from the rewards
 */
export function decisionRewards(
  { episode: { turns }, decisions }: Rollout,
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
 * Scores rollouts. Leaves out episodes that were cut or ended by the infrastructure. An episode that ran out of its budget counts as
 * ended: the budget belongs to the task, so no value is bootstrapped after the last turn.
 *
 * @param penalties `[episode][turn]`, subtracted from the rewards
 */
export function scoreRollouts(
  rollouts: readonly Rollout[],
  gamma: number,
  penalties?: readonly number[][],
): (ScoredRollout & { readonly index: number })[] {
  return rollouts.flatMap((rollout, index) => {
    const { end, turns } = rollout.episode;
    if (end.state === 'infra_error' || end.state === 'cut') return [];
    const rewards = decisionRewards(rollout, penalties?.[index]);
    const total = turns.reduce((sum, { reward }, turn) => sum + reward - (penalties?.[index]?.[turn] ?? 0), 0);
    return [{ index, rollout, rewards, returns: returns(rewards, gamma), total }];
  });
}

/** Lists the decisions of all estimates as targets, family by family. */
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
