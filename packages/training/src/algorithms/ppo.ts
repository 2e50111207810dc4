import { type NativeEngine, type NativeForwardBackward, type Random, type NativeForward } from '@gyre/engine';
import type { Baseline } from '../advantages/baseline.js';
import { behaviourWeights } from './correction.js';
import { slices } from './slices.js';
import { correlation, explainedVariance, klK3, mean } from '../metrics/statistics.js';
import {
  type Advantage,
  type Rollout,
  type Target,
  advantagesOf,
  divergences,
  valuesOf,
} from '../advantages/targets.js';

export interface PpoOptions {
  /** A smaller policy collapsed at 3e-4 with PPO alone; beside supervised steps 5e-4 was sound in three runs. */
  learningRate: number;
  clipLow: number;
  clipHigh: number;
  /** See `Loss`. Default: none. */
  dualClip?: number | undefined;
  epochs: number;
  /** Decisions in one optimiser step, approximately. See `slices`. */
  minibatch: number;
  gamma: number;
  advantage: Advantage;
  /** Baseline of earlier updates, to which this one is added. Default: none. */
  baseline?: Baseline;
  freezeEncoder: boolean;
  /** It goes through the decisions in the first `epochs` alone, which saves time; in value pretraining, more than three make it worse. */
  critic?: { engine: NativeEngine; learningRate: number; valueClip: number; epochs: number };
  /** Tokens of older versions are corrected for, at most by this factor. See `behaviourWeights`. */
  behaviourCap?: number | undefined;
  /**
   * Weight of the mean cross-entropy of the tokens of successful episodes (positive-example loss of VAPO, arXiv 2504.05118, where it is 0.1).
   * Default 0.
   */
  imitation?: number;
  /** Weight of the entropy bonus. Default 0. With little else in the gradient Adam makes whole steps of it. */
  entropy?: number;
  /** Where the policy is to stay near: its divergence is taken from the rewards; costs a forward pass of `engine`. See `divergences`. */
  reference?: { engine: NativeEngine; weight: number } | undefined;
}

/** What is measured in an update. Lists of nothing have no mean: the figures of an update without a decision are NaN. */
export interface PpoUpdate {
  decisions: number;
  tokens: number;
  /**
   * Mean entropy of the policy before the update, in nats per sampled token. It is that of the whole distribution at temperature 1 over the
   * tokens that the action grammar allows, not the estimate `-log p`. A token without an alternative counts with 0.
   */
  entropy: number;
  /** k3 estimate (Schulman, "Approximating KL divergence") over the last epoch. */
  kl: number;
  /** Share of tokens whose ratio left the clip range downwards and upwards, last epoch. */
  clippedLow: number;
  clippedHigh: number;
  /** The least and the greatest ratio of a token, last epoch. */
  ratioLow: number;
  ratioHigh: number;
  gradientNorm: number;
  /** Of the critic before the update; undefined without one. */
  explainedVariance: number | undefined;
  /** Of the critic's values before the update with the returns that followed; undefined without one. */
  valueCorrelation: number | undefined;
  /** How many decisions were sampled how many optimiser steps before the update; empty where that is not known. */
  staleness: Record<string, number>;
  /** Mean importance weight of the tokens, and the share of them that was cut off; undefined without correction. */
  behaviour?: { weight: number; capped: number };
  /** Mean cross-entropy of what succeeded, in nats per token; undefined without imitation. */
  imitationLoss?: number;
  /** Mean divergence from the reference, in nats per turn; undefined without one. */
  divergence?: number;
}

/** One PPO iteration on complete episodes: advantages, then `epochs` passes in shuffled minibatches; the critic makes no more than the policy. */
export async function updatePpo(
  engine: NativeEngine,
  rollouts: readonly Rollout[],
  options: PpoOptions,
  random: Random,
): Promise<PpoUpdate> {
  const { critic, reference, imitation = 0 } = options;
  const values = critic && options.advantage.kind === 'critic' ? await valuesOf(critic.engine, rollouts) : undefined;
  const divergence = reference && (await divergences(reference.engine, rollouts));
  const penalties = divergence?.map((turns) => turns.map((nats) => nats * (reference?.weight ?? 0)));
  const made = advantagesOf(rollouts, options, values, penalties, options.baseline);
  const before = await engine.forward(dataOf(made));
  const { targets, behaviour } = corrected(before, made, options.behaviourCap);
  const shown = imitation > 0 ? tokensOf(targets.filter(({ won }) => won)) : 0;
  const update: PpoUpdate = {
    decisions: targets.length,
    tokens: tokensOf(targets),
    entropy: mean(before.entropies.flat(2)),
    ...lastRatios([], [], options),
    gradientNorm: NaN,
    ...criticism(values && targets),
    staleness: {},
    ...(behaviour && { behaviour }),
    ...(divergence && { divergence: mean(divergence.flat()) }),
  };
  const imitated = { nats: 0, tokens: 0 };
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    const minibatches = slices(random.shuffle([...targets]), options.minibatch);
    const last: { before: number[]; after: number[] } = { before: [], after: [] };
    const norms: number[] = [];
    for (const [number, batch] of minibatches.entries()) {
      const result = await engine.forwardBackward({
        data: dataOf(batch),
        loss: {
          name: 'ppo',
          clipLow: options.clipLow,
          clipHigh: options.clipHigh,
          ...(options.dualClip !== undefined && { dualClip: options.dualClip }),
          ...(options.entropy && { entropy: options.entropy }),
        },
        freezeEncoder: options.freezeEncoder,
      });
      const won = imitation > 0 ? batch.filter((target) => target.won) : [];
      if (won.length > 0) {
        const tokens = tokensOf(won);
        // A mean over the minibatch alone would weigh a token more where few others are in it.
        const weight = (imitation * tokens * minibatches.length) / shown;
        const { loss } = await engine.forwardBackward({
          data: dataOf(won),
          loss: { name: 'cross_entropy', weight },
          freezeEncoder: options.freezeEncoder,
        });
        imitated.nats += (loss / weight) * tokens;
        imitated.tokens += tokens;
      }
      const step = await engine.optimStep({
        learningRate: options.learningRate,
        part: options.freezeEncoder ? 'decoder' : 'all',
      });
      if (epoch === 0 && number === 0) update.staleness = stalenessOf(targets, step.policyVersion - 1);
      norms.push(step.gradientNorm);
      collect(batch, result, last);
      if (critic && values && epoch < critic.epochs) await updateCritic(critic, batch, options.freezeEncoder);
    }
    Object.assign(update, lastRatios(last.before, last.after, options));
    update.gradientNorm = mean(norms);
  }
  if (imitation > 0) update.imitationLoss = imitated.nats / imitated.tokens;
  return update;
}

/**
 * Targets against the policy as it is now, in the place of the one that sampled, which stands in the advantages as a weight: so the engine's
 * own loss is that of the decoupled objective. What these very weights sampled stays as it is.
 */
function corrected(
  { logprobs, policyVersion }: NativeForward,
  targets: readonly Target[],
  cap: number | undefined,
): { targets: readonly Target[]; behaviour?: { weight: number; capped: number } } {
  if (cap === undefined) return { targets };
  const all: number[] = [];
  const moved = targets.map((target, i): Target => {
    const { sequence, decision } = target;
    const sampled = sequence.logprobs ?? [];
    const proximal = decision.policyVersion === policyVersion ? sampled : (logprobs[i]?.[0] ?? sampled);
    const weights = behaviourWeights(proximal, sampled, cap);
    all.push(...weights);
    const advantages = sequence.advantages?.map((advantage, t) => advantage * (weights[t] ?? 1));
    return { ...target, sequence: { ...sequence, logprobs: proximal, ...(advantages && { advantages }) } };
  });
  const capped = all.filter((weight) => weight >= cap).length / all.length;
  return { targets: moved, behaviour: { weight: mean(all), capped } };
}

const dataOf = (targets: readonly Target[]) =>
  targets.map(({ decision, sequence }) => ({ screenshots: decision.datum.screenshots, sequences: [sequence] }));

/** How well the values foretold the returns. */
function criticism(targets: readonly Target[] | undefined): Pick<PpoUpdate, 'explainedVariance' | 'valueCorrelation'> {
  if (!targets) return { explainedVariance: undefined, valueCorrelation: undefined };
  const values = targets.map(({ value }) => value);
  const followed = targets.map((target) => target.followed);
  return {
    explainedVariance: explainedVariance(values, followed),
    valueCorrelation: correlation(values, followed),
  };
}

const tokensOf = (targets: readonly Target[]): number =>
  targets.reduce((sum, { sequence }) => sum + sequence.action.length, 0);

function stalenessOf(targets: readonly Target[], version: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { decision } of targets) {
    if (decision.policyVersion === undefined) continue;
    const behind = version - decision.policyVersion;
    counts[behind] = (counts[behind] ?? 0) + 1;
  }
  return counts;
}

/** How far the policy went from where the epoch's ratios begin. NaN of nothing. */
function lastRatios(
  before: readonly number[],
  after: readonly number[],
  { clipLow, clipHigh }: Pick<PpoOptions, 'clipLow' | 'clipHigh'>,
): Pick<PpoUpdate, 'kl' | 'clippedLow' | 'clippedHigh' | 'ratioLow' | 'ratioHigh'> {
  let [low, high, ratioLow, ratioHigh] = [0, 0, NaN, NaN];
  for (const [i, logprob] of after.entries()) {
    const ratio = Math.exp(logprob - (before[i] ?? 0));
    if (ratio < 1 - clipLow) low++;
    if (ratio > 1 + clipHigh) high++;
    ratioLow = i === 0 ? ratio : Math.min(ratioLow, ratio);
    ratioHigh = i === 0 ? ratio : Math.max(ratioHigh, ratio);
  }
  const n = after.length;
  return { kl: klK3(after, before), clippedLow: low / n, clippedHigh: high / n, ratioLow, ratioHigh };
}

function collect(
  batch: readonly Target[],
  result: NativeForwardBackward,
  ratios: { before: number[]; after: number[] },
): void {
  for (const [i, { sequence }] of batch.entries()) {
    ratios.before.push(...(sequence.logprobs ?? []));
    ratios.after.push(...(result.logprobs[i]?.[0] ?? []));
  }
}

async function updateCritic(
  critic: NonNullable<PpoOptions['critic']>,
  batch: readonly Target[],
  freezeEncoder: boolean,
): Promise<void> {
  await critic.engine.forwardBackward({
    data: dataOf(batch),
    loss: { name: 'ppo_critic', valueClip: critic.valueClip },
    freezeEncoder,
  });
  await critic.engine.optimStep({ learningRate: critic.learningRate, part: freezeEncoder ? 'decoder' : 'all' });
}
