import type { Engine, Sequence } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { decoupledGae, groupAdvantages, lengthAdaptiveLambda, returns, whiten } from './advantage.js';
import type { Decision } from './dataset.js';
import { groupsOf } from './group.js';

/**
 * How advantages are made. `none`: Monte-Carlo returns less what is usual at their turn of tasks as difficult, whitened. `critic`: decoupled
 * GAE with the critic's values, whitened. `group`: the total reward of an attempt, undiscounted, against those of the other attempts at the
 * same task.
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
  return: number;
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
 * Advantage and return of every decision. But for groups, which are their own scale, advantages are whitened within each family, whose
 * rewards differ in scale.
 *
 * @param values `[episode][decision]`; 0 where absent
 * @param penalties `[episode][turn]`, taken from the rewards
 */
export function advantagesOf(
  rollouts: readonly Rollout[],
  { gamma, advantage }: { gamma: number; advantage: Advantage },
  values?: readonly number[][],
  penalties?: readonly number[][],
): Target[] {
  const rewards = rollouts.map(({ episode }, index) =>
    Float64Array.from(episode.turns, ({ reward }, turn) => reward - (penalties?.[index]?.[turn] ?? 0)),
  );
  const compared = advantage.kind === 'group' ? comparedInGroups(rollouts, rewards, advantage) : undefined;
  const families = new Map<string, Estimate[]>();
  for (const [index, { episode, decisions }] of rollouts.entries()) {
    const earned = rewards[index] as Float64Array;
    const monteCarlo = returns(earned, gamma);
    const value = new Float64Array(earned.length);
    for (const [i, { turn }] of decisions.entries()) value[turn] = values?.[index]?.[i] ?? 0;
    const estimate =
      advantage.kind === 'critic'
        ? decoupledGae({
            rewards: earned,
            values: value,
            gamma,
            lambdaCritic: advantage.lambdaCritic,
            lambdaPolicy:
              typeof advantage.lambdaPolicy === 'number'
                ? advantage.lambdaPolicy
                : lengthAdaptiveLambda(tokensOf(decisions), advantage.lambdaPolicy.alpha),
          })
        : { advantages: compared ? earned.map(() => compared[index] ?? 0) : monteCarlo, returns: monteCarlo };
    for (const decision of decisions) {
      const [sequence] = decision.datum.sequences;
      if (!sequence) continue;
      const target = {
        decision,
        sequence,
        value: value[decision.turn] ?? 0,
        return: estimate.returns[decision.turn] ?? 0,
        won: episode.verdict?.success ?? false,
      };
      const list = families.get(decision.family) ?? [];
      list.push({ target, difficulty: episode.task.difficulty, advantage: estimate.advantages[decision.turn] ?? 0 });
      families.set(decision.family, list);
    }
  }
  return [...families.values()].flatMap((list) => {
    if (advantage.kind === 'none') subtractBaseline(list);
    const raw = Float64Array.from(list, (entry) => entry.advantage);
    const scaled = compared ? raw : whiten(raw);
    return list.map(({ target }, i) => ({
      ...target,
      sequence: {
        ...target.sequence,
        advantages: target.sequence.action.map(() => scaled[i] ?? 0),
        return: target.return,
        value: target.value,
      },
    }));
  });
}

/** The advantage of each episode over the others of its task, in the order of the rollouts. */
function comparedInGroups(
  rollouts: readonly Rollout[],
  rewards: readonly Float64Array[],
  options: { normalise: boolean; leaveOneOut: boolean },
): number[] {
  const places = new Map(rollouts.map(({ episode }, place) => [episode, place]));
  const out = rollouts.map(() => 0);
  for (const group of groupsOf(rollouts.map(({ episode }) => episode))) {
    const at = group.map((episode) => places.get(episode) ?? 0);
    const totals = at.map((place) => rewards[place]?.reduce((sum, reward) => sum + reward, 0) ?? 0);
    const advantages = groupAdvantages(totals, options);
    for (const [i, place] of at.entries()) out[place] = advantages[i] ?? 0;
  }
  return out;
}

interface Estimate {
  readonly target: Target;
  /** Of its task, if it tells. */
  readonly difficulty: number | undefined;
  advantage: number;
}

/**
 * Without a critic the baseline of a family's decisions is the mean return of tasks as difficult, then that of what is left at the same
 * turn: hard tasks earn less whatever is done in them, and late turns belong to episodes that go badly.
 */
function subtractBaseline(list: readonly Estimate[]): void {
  subtractMeans(list, ({ difficulty }) => difficulty);
  subtractMeans(list, ({ target }) => target.decision.turn);
}

function subtractMeans(list: readonly Estimate[], of: (estimate: Estimate) => number | undefined): void {
  const sums = new Map<number | undefined, { total: number; count: number }>();
  for (const estimate of list) {
    const { total, count } = sums.get(of(estimate)) ?? { total: 0, count: 0 };
    sums.set(of(estimate), { total: total + estimate.advantage, count: count + 1 });
  }
  for (const estimate of list) {
    const { total, count } = sums.get(of(estimate)) ?? { total: 0, count: 1 };
    estimate.advantage -= total / count;
  }
}

function tokensOf(decisions: readonly Decision[]): number {
  return decisions.reduce((total, { datum }) => total + (datum.sequences[0]?.action.length ?? 0), 0);
}
