import { type Engine, type ForwardBackward, type Random, type Sequence } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { decoupledGae, lengthAdaptiveLambda, returns, whiten } from './advantage.js';
import type { Decision } from './dataset.js';
import { explainedVariance, klK3, mean } from './statistics.js';

/** How advantages are made. `none`: whitened Monte-Carlo returns. `critic`: decoupled GAE with the critic's values. */
export type Advantage =
  { kind: 'none' } | { kind: 'critic'; lambdaCritic: number; lambdaPolicy: number | { alpha: number } };

export interface PpoOptions {
  /** A smaller policy collapsed at 3e-4 with PPO alone; beside supervised steps 5e-4 was sound in three runs. */
  learningRate: number;
  clipLow: number;
  clipHigh: number;
  epochs: number;
  /** Decisions in one optimiser step. */
  minibatch: number;
  gamma: number;
  advantage: Advantage;
  freezeEncoder: boolean;
  critic?: { engine: Engine; learningRate: number; valueClip: number };
}

export interface PpoUpdate {
  decisions: number;
  /** Mean over tokens, before the update. */
  entropy: number;
  /** k3 estimate (Schulman, "Approximating KL divergence") over the last epoch. */
  kl: number;
  /** Share of tokens whose ratio left the clip range downwards and upwards, last epoch. */
  clippedLow: number;
  clippedHigh: number;
  gradientNorm: number;
  /** Of the critic before the update; undefined without one. */
  explainedVariance: number | undefined;
}

/** An episode with its decisions, as `decisions` made them. */
export interface Rollout {
  episode: Episode;
  decisions: Decision[];
}

/** One PPO iteration on complete episodes: advantages, then `epochs` passes in shuffled minibatches. */
export async function updatePpo(
  engine: Engine,
  rollouts: readonly Rollout[],
  options: PpoOptions,
  random: Random,
): Promise<PpoUpdate> {
  const { critic } = options;
  const values = critic && options.advantage.kind === 'critic' ? await valuesOf(critic.engine, rollouts) : undefined;
  const targets = advantagesOf(rollouts, options, values);
  const update: PpoUpdate = {
    decisions: targets.length,
    entropy: 0,
    kl: 0,
    clippedLow: 0,
    clippedHigh: 0,
    gradientNorm: 0,
    explainedVariance:
      values &&
      explainedVariance(
        targets.map(({ value }) => value),
        targets.map(({ return: r }) => r),
      ),
  };
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    const order = random.shuffle([...targets]);
    const last: { before: number[]; after: number[] } = { before: [], after: [] };
    const entropies: number[] = [];
    const norms: number[] = [];
    for (let from = 0; from < order.length; from += options.minibatch) {
      const batch = order.slice(from, from + options.minibatch);
      const result = await engine.forwardBackward({
        data: batch.map(({ decision, sequence }) => ({
          screenshots: decision.datum.screenshots,
          sequences: [sequence],
        })),
        loss: { name: 'ppo', clipLow: options.clipLow, clipHigh: options.clipHigh },
        freezeEncoder: options.freezeEncoder,
      });
      const step = await engine.optimStep({
        learningRate: options.learningRate,
        part: options.freezeEncoder ? 'decoder' : 'all',
      });
      norms.push(step.gradientNorm);
      collect(batch, result, last, entropies);
      if (critic && values) await updateCritic(critic, batch, options.freezeEncoder);
    }
    if (epoch === 0) update.entropy = mean(entropies);
    update.kl = klK3(last.after, last.before);
    const ratios = last.after.map((after, i) => Math.exp(after - (last.before[i] ?? 0)));
    update.clippedLow = ratios.filter((ratio) => ratio < 1 - options.clipLow).length / Math.max(1, ratios.length);
    update.clippedHigh = ratios.filter((ratio) => ratio > 1 + options.clipHigh).length / Math.max(1, ratios.length);
    update.gradientNorm = mean(norms);
  }
  return update;
}

interface Target {
  decision: Decision;
  sequence: Sequence;
  value: number;
  return: number;
}

/** Values `[episode][turn]` of the critic before the update. */
export async function valuesOf(critic: Engine, rollouts: readonly Rollout[]): Promise<number[][]> {
  const { values } = await critic.forward(rollouts.flatMap(({ decisions }) => decisions.map(({ datum }) => datum)));
  let next = 0;
  return rollouts.map(({ decisions }) => decisions.map(() => values[next++]?.[0] ?? 0));
}

/** Advantage and return of every decision; advantages are whitened within each family, whose rewards differ in scale. */
export function advantagesOf(
  rollouts: readonly Rollout[],
  options: Pick<PpoOptions, 'gamma' | 'advantage'>,
  values?: readonly number[][],
): Target[] {
  const families = new Map<string, { target: Target; advantage: number }[]>();
  for (const [index, { episode, decisions }] of rollouts.entries()) {
    const rewards = Float64Array.from(episode.turns, ({ reward }) => reward);
    const monteCarlo = returns(rewards, options.gamma);
    const value = Float64Array.from(values?.[index] ?? new Array<number>(rewards.length).fill(0));
    const { advantage } = options;
    const estimate =
      advantage.kind === 'critic'
        ? decoupledGae({
            rewards,
            values: value,
            gamma: options.gamma,
            lambdaCritic: advantage.lambdaCritic,
            lambdaPolicy:
              typeof advantage.lambdaPolicy === 'number'
                ? advantage.lambdaPolicy
                : lengthAdaptiveLambda(tokensOf(decisions), advantage.lambdaPolicy.alpha),
          })
        : { advantages: monteCarlo, returns: monteCarlo }; // less the mean of its turn, below
    for (const decision of decisions) {
      const [sequence] = decision.datum.sequences;
      if (!sequence) continue;
      const target = {
        decision,
        sequence,
        value: value[decision.turn] ?? 0,
        return: estimate.returns[decision.turn] ?? 0,
      };
      const list = families.get(decision.family) ?? [];
      list.push({ target, advantage: estimate.advantages[decision.turn] ?? 0 });
      families.set(decision.family, list);
    }
  }
  return [...families.values()].flatMap((list) => {
    if (options.advantage.kind === 'none') subtractMeanOfTurn(list);
    const white = whiten(Float64Array.from(list, ({ advantage }) => advantage));
    return list.map(({ target }, i) => ({
      ...target,
      sequence: {
        ...target.sequence,
        advantages: target.sequence.action.map(() => white[i] ?? 0),
        return: target.return,
        value: target.value,
      },
    }));
  });
}

/**
 * Without a critic the baseline is the mean return of the same turn of the family's episodes: late turns belong to
 * episodes that go badly, and would else be blamed whatever was done in them.
 */
function subtractMeanOfTurn(list: { target: Target; advantage: number }[]): void {
  const turns = new Map<number, { total: number; count: number }>();
  for (const { target, advantage } of list) {
    const sum = turns.get(target.decision.turn) ?? { total: 0, count: 0 };
    turns.set(target.decision.turn, { total: sum.total + advantage, count: sum.count + 1 });
  }
  for (const entry of list) {
    const { total, count } = turns.get(entry.target.decision.turn) ?? { total: 0, count: 1 };
    entry.advantage -= total / count;
  }
}

function tokensOf(decisions: readonly Decision[]): number {
  return decisions.reduce((total, { datum }) => total + (datum.sequences[0]?.action.length ?? 0), 0);
}

function collect(
  batch: readonly Target[],
  result: ForwardBackward,
  ratios: { before: number[]; after: number[] },
  entropies: number[],
): void {
  for (const [i, { sequence }] of batch.entries()) {
    ratios.before.push(...(sequence.logprobs ?? []));
    ratios.after.push(...(result.logprobs[i]?.[0] ?? []));
    entropies.push(...(result.entropies[i]?.[0] ?? []));
  }
}

async function updateCritic(
  critic: NonNullable<PpoOptions['critic']>,
  batch: readonly Target[],
  freezeEncoder: boolean,
): Promise<void> {
  await critic.engine.forwardBackward({
    data: batch.map(({ decision, sequence }) => ({ screenshots: decision.datum.screenshots, sequences: [sequence] })),
    loss: { name: 'ppo_critic', valueClip: critic.valueClip },
    freezeEncoder,
  });
  await critic.engine.optimStep({ learningRate: critic.learningRate, part: freezeEncoder ? 'decoder' : 'all' });
}
