import type { NativeEngine, NativeSequence } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { decoupledGae, groupAdvantages, lengthAdaptiveLambda, returns } from './advantage.js';
import { Baseline } from './baseline.js';
import type { Decision } from '../rollouts/dataset.js';
import { groupsOf } from '../algorithms/group.js';

/**
 * How advantages are made. `none`: Monte-Carlo returns against those of other episodes at the same turn of tasks as difficult. `critic`:
 * decoupled GAE with the critic's values, against the mean of other episodes. `group`: the total reward of an attempt, undiscounted, against
 * those of the other attempts at the same task. With the first two, see `Baseline`.
 */
export type Advantage =
  | { kind: 'none' }
  | { kind: 'critic'; lambdaCritic: number; lambdaPolicy: number | { alpha: number } }
  | { kind: 'group'; normalise: boolean; leaveOneOut: boolean };

/** An episode with its decisions, as `decisions` made them. */
export interface Rollout {
  episode: Episode;
  decisions: Decision[];
}

/** A decision with what it should be taught. */
export interface Target {
  decision: Decision;
  /** With advantages, return and value. */
  sequence: NativeSequence;
  value: number;
  /** Target of the critic. */
  return: number;
  /** Monte-Carlo return. Unlike `return` with a critic's lambda below 1, it does not depend on the critic's own values. */
  followed: number;
  /** Is it of an episode that succeeded? */
  won: boolean;
}

/** Values `[episode][decision]` of the critic before the update. */
export async function valuesOf(critic: NativeEngine, rollouts: readonly Rollout[]): Promise<number[][]> {
  const { values } = await critic.forward(rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)));
  let next = 0;
  return rollouts.map(({ decisions }) => decisions.map(() => values[next++]?.[0] ?? 0));
}

/**
 * Penalties `[episode][turn]` that hold the policy near a reference, in nats: the k1 estimate `log pi - log pi_reference` (Schulman 2020,
 * "Approximating KL divergence") summed over the tokens of a turn. Taken from the reward, weighted, it makes the expected gradient that of
 * the reward less the weighted KL divergence from the reference, which k1 or k3 in the loss does not (arXiv 2506.09477).
 */
export async function divergences(reference: NativeEngine, rollouts: readonly Rollout[]): Promise<number[][]> {
  const { logprobs } = await reference.forward(
    rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)),
  );
  let next = 0;
  return rollouts.map(({ episode, decisions }) => {
    const byTurn = episode.turns.map(() => 0);
    for (const { turn, datum } of decisions) {
      const of = logprobs[next++]?.[0] ?? [];
      const sampled = datum.sequences[0]?.logprobs ?? [];
      byTurn[turn] = sampled.reduce((sum, logprob, t) => sum + logprob - (of[t] ?? logprob), 0);
    }
    return byTurn;
  });
}

/**
 * Returns the rewards of decisions, `[decision]`: each has the rewards until the next decision. A turn without a decision is no step of
 * time. Rewards before the first decision, such as those of copied turns, belong to no decision.
 *
 * @param penalties `[turn]`, subtracted from the rewards
 */
export function earned({ episode: { turns }, decisions }: Rollout, penalties?: readonly number[]): Float64Array {
  return Float64Array.from(decisions, ({ turn }, i) => {
    const next = decisions[i + 1]?.turn ?? turns.length;
    let sum = 0;
    for (let at = turn; at < next; at++) sum += (turns[at]?.reward ?? 0) - (penalties?.[at] ?? 0);
    return sum;
  });
}

/**
 * Estimates the advantage and return of every decision, family by family. Episodes that were cut or ended by the infrastructure get none, and
 * have no part in any baseline. An episode that ran out of its budget counts as ended: the budget belongs to the task, so no value is
 * bootstrapped after the last turn.
 *
 * @param values `[episode][decision]`; 0 where absent
 * @param penalties `[episode][turn]`, subtracted from the rewards
 * @param baseline of earlier batches, to which this batch is added. Default: none.
 */
export function advantagesOf(
  rollouts: readonly Rollout[],
  { gamma, advantage }: { gamma: number; advantage: Advantage },
  values?: readonly number[][],
  penalties?: readonly number[][],
  baseline = new Baseline(),
): Target[] {
  const all = rollouts.flatMap((rollout, index): Estimated[] => {
    const { episode, decisions } = rollout;
    if (episode.end.state === 'infra_error' || episode.end.state === 'cut') return [];
    const rewards = earned(rollout, penalties?.[index]);
    const followed = returns(rewards, gamma);
    const known = Float64Array.from(decisions, (_, i) => values?.[index]?.[i] ?? 0);
    const total = episode.turns.reduce((sum, { reward }, turn) => sum + reward - (penalties?.[index]?.[turn] ?? 0), 0);
    const estimates =
      advantage.kind === 'critic'
        ? criticised(rewards, known, gamma, advantage)
        : { advantages: followed.slice(), returns: followed };
    return [{ rollout, values: known, followed, total, ...estimates }];
  });
  const advantages =
    advantage.kind === 'group'
      ? comparedInGroups(all, advantage).map((compared, i) => all[i]?.advantages.fill(compared))
      : baseline.advantages(
          all.map(({ rollout: { episode, decisions }, advantages: estimates }) => ({
            family: episode.task.family,
            difficulty: episode.task.difficulty,
            turns: decisions.map(({ turn }) => turn),
            estimates,
          })),
          advantage.kind === 'critic' ? 'family' : 'turn',
        );
  const families = new Map<string, Target[]>();
  for (const [index, { rollout, values: known, followed, returns: made }] of all.entries()) {
    const { episode, decisions } = rollout;
    for (const [i, decision] of decisions.entries()) {
      const [sequence] = decision.datum.sequences;
      if (!sequence) continue;
      const [value, target] = [known[i] ?? 0, made[i] ?? 0];
      const list = families.get(decision.family) ?? [];
      list.push({
        decision,
        sequence: {
          ...sequence,
          advantages: sequence.action.map(() => advantages[index]?.[i] ?? 0),
          return: target,
          value,
        },
        value,
        return: target,
        followed: followed[i] ?? 0,
        won: episode.verdict?.success ?? false,
      });
      families.set(decision.family, list);
    }
  }
  return [...families.values()].flat();
}

/** An episode before its comparison with others. Arrays are `[decision]`; `returns` are the targets of the critic. */
interface Estimated {
  readonly rollout: Rollout;
  readonly total: number;
  readonly values: Float64Array;
  readonly followed: Float32Array;
  readonly returns: Float32Array;
  readonly advantages: Float32Array;
}

function criticised(
  rewards: Float64Array,
  values: Float64Array,
  gamma: number,
  { lambdaCritic, lambdaPolicy: lambda }: Advantage & { kind: 'critic' },
): Pick<Estimated, 'returns' | 'advantages'> {
  // GAE steps from decision to decision, so the length counts decisions, not tokens.
  const lambdaPolicy = typeof lambda === 'number' ? lambda : lengthAdaptiveLambda(rewards.length, lambda.alpha);
  return decoupledGae({ rewards, values, gamma, lambdaCritic, lambdaPolicy });
}

/** Compares each episode with the others of its task. */
function comparedInGroups(all: readonly Estimated[], options: { normalise: boolean; leaveOneOut: boolean }): number[] {
  const places = new Map(all.map(({ rollout: { episode } }, place) => [episode, place]));
  const out = all.map(() => 0);
  for (const group of groupsOf(all.map(({ rollout: { episode } }) => episode))) {
    const at = group.map((episode) => places.get(episode) ?? 0);
    const advantages = groupAdvantages(
      at.map((place) => all[place]?.total ?? 0),
      options,
    );
    for (const [i, place] of at.entries()) out[place] = advantages[i] ?? 0;
  }
  return out;
}
