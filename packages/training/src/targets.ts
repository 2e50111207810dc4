import type { Engine, Sequence } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { decoupledGae, groupAdvantages, lengthAdaptiveLambda, returns } from './advantage.js';
import { Baseline } from './baseline.js';
import type { Decision } from './dataset.js';
import { groupsOf } from './group.js';

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
  sequence: Sequence;
  value: number;
  /** What the critic learns. */
  return: number;
  /** Discounted rewards that followed. The critic's values have no part in it, unlike in `return` where its lambda is below 1. */
  followed: number;
  /** Is it of an episode that succeeded? */
  won: boolean;
}

/** Values `[episode][decision]` of the critic before the update. */
export async function valuesOf(critic: Engine, rollouts: readonly Rollout[]): Promise<number[][]> {
  const { values } = await critic.forward(rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)));
  let next = 0;
  return rollouts.map(({ decisions }) => decisions.map(() => values[next++]?.[0] ?? 0));
}

/**
 * Penalties `[episode][turn]` that hold the policy near a reference, in nats: the k1 estimate `log pi - log pi_reference` (Schulman 2020,
 * "Approximating KL divergence") summed over the tokens of a turn. Taken from the reward, weighted, it makes the expected gradient that of
 * the reward less the weighted KL divergence from the reference, which k1 or k3 in the loss does not (arXiv 2506.09477).
 */
export async function divergences(reference: Engine, rollouts: readonly Rollout[]): Promise<number[][]> {
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
 * Rewards `[decision]`, each what came until the next decision. A turn that is none, such as one without an action, is no step of time; what
 * came before the first decision, as in turns that were copied from another episode, is earned by none.
 *
 * @param penalties `[turn]`, taken from the rewards
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
 * Advantage and return of every decision, family by family; none of episodes that were cut or that the infrastructure ended, which have no
 * part in what others are compared with either. An episode that ran out of its budget has ended as one that finished: the budget is the
 * task's, and no value is put behind its last turn.
 *
 * @param values `[episode][decision]`; 0 where absent
 * @param penalties `[episode][turn]`, taken from the rewards
 * @param baseline of the batches before, to which this one is added. Default: there were none.
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

/** An episode with its total reward; and of each decision its value, what followed it, the return that the critic learns, and what is compared with other episodes. */
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
  // A step of the estimate is a decision, however many tokens say it: so the length is that in decisions.
  const lambdaPolicy = typeof lambda === 'number' ? lambda : lengthAdaptiveLambda(rewards.length, lambda.alpha);
  return decoupledGae({ rewards, values, gamma, lambdaCritic, lambdaPolicy });
}

/** The advantage of each episode over the others of its task, in their order. */
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
