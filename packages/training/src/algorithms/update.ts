import type { NativeForward, NativeForwardBackward, Piece, Random, TrainingEngine } from '@gyre/engine';
import { Baseline } from '../advantages/baseline.js';
import { divergences } from '../advantages/divergence.js';
import { type Estimate, type Rollout, type Target, scoreRollouts, targetsOf } from '../advantages/targets.js';
import { type ProbabilityGap, expectSmallGap, gapOf } from '../served/probabilityGap.js';
import { correlation, explainedVariance, klK3, mean } from '../metrics/statistics.js';
import { behaviourWeights } from './correction.js';
import { type GrpoTerms, grpoEstimates } from './grpo.js';
import { type PpoTerms, criticValues, ppoEstimates } from './ppo.js';
import { reinforceEstimates } from './reinforce.js';
import { minibatches } from './slices.js';
import { vineppoEstimates } from './vineppo.js';

/** `none` is REINFORCE, `critic` PPO, `group` GRPO; `vineppo` needs the values of its rollouts. */
export type Algorithm =
  | { readonly kind: 'none' | 'vineppo' }
  | ({ readonly kind: 'critic' } & PpoTerms)
  | ({ readonly kind: 'group' } & GrpoTerms);

export interface UpdateOptions {
  learningRate: number;
  clipLow: number;
  clipHigh: number;
  /** Bounds ratios at negative advantages. Default: none. */
  dualClip?: number | undefined;
  epochs: number;
  /** Approximate decisions per optimiser step; see `minibatches`. */
  minibatch: number;
  gamma: number;
  advantage: Algorithm;
  /** Updated in place. Default: a new one. */
  baseline?: Baseline;
  freezeEncoder: boolean;
  /** Trains in the first `epochs` only. */
  critic?: { engine: TrainingEngine; learningRate: number; valueClip: number; epochs: number };
  /** See `behaviourWeights`. Default: no correction. */
  behaviourCap?: number | undefined;
  /**
   * Weight of the cross-entropy on successes (positive-example loss, VAPO, arXiv 2504.05118, which uses 0.1). Default
   * 0.
   */
  imitation?: number;
  /** Default 0. */
  entropy?: number;
  /** See `divergences`. Costs a forward pass. */
  reference?: { engine: TrainingEngine; weight: number } | undefined;
  /**
   * Stops before training if the sampler disagrees with the trainer by more than `bound` nats a token. `probe` samples
   * after prompts, for updates without a decision of the current weights.
   */
  gap?: { bound: number; probe: (prompts: readonly (readonly Piece[])[]) => Promise<ProbabilityGap> } | undefined;
}

/** NaN without decisions. */
export interface PolicyUpdate {
  decisions: number;
  tokens: number;
  /** Before the update, in nats per token, under the action grammar; undefined if the engine does not know it. */
  entropy: number | undefined;
  /** k3 estimate (Schulman, "Approximating KL divergence"), last epoch. */
  kl: number;
  /** Shares of clipped tokens, last epoch. */
  clippedLow: number;
  clippedHigh: number;
  /** Last epoch. */
  ratioLow: number;
  ratioHigh: number;
  gradientNorm: number;
  /** Before the update; undefined without a critic. */
  explainedVariance: number | undefined;
  /** Between the critic's earlier values and Monte-Carlo returns; undefined without a critic. */
  valueCorrelation: number | undefined;
  /** Gap of the decisions sampled with the current weights, before the update. */
  gap: ProbabilityGap;
  /** Decisions by optimiser steps since their sampling. */
  staleness: Record<string, number>;
  /** Mean importance weight; share of capped tokens. */
  behaviour?: { weight: number; capped: number };
  /** Nats per token. */
  imitationLoss?: number;
  divergence?: number;
}

/**
 * Estimates advantages and targets of all decisions.
 * @param values `[rollout][decision]`, for PPO
 * @param penalties `[rollout][turn]`, subtracted from the rewards
 * @param baseline updated with this batch
 */
export function estimateTargets(
  rollouts: readonly Rollout[],
  { gamma, advantage }: { gamma: number; advantage: Algorithm },
  {
    values,
    penalties,
    baseline = new Baseline(),
  }: { values?: readonly number[][]; penalties?: readonly number[][]; baseline?: Baseline } = {},
): Target[] {
  const scored = scoreRollouts(rollouts, gamma, penalties);
  const estimate = (): Estimate[] => {
    switch (advantage.kind) {
      case 'none':
        return reinforceEstimates(scored, baseline);
      case 'group':
        return grpoEstimates(scored, advantage);
      case 'vineppo':
        return vineppoEstimates(scored, { gamma }, baseline);
      case 'critic': {
        const known = scored.map(({ index }) => values?.[index] ?? []);
        return ppoEstimates(scored, known, { gamma, ...advantage }, baseline);
      }
    }
  };
  return targetsOf(estimate());
}

/**
 * Updates the policy with PPO's clipped surrogate (arXiv 1707.06347; clip-higher: DAPO, arXiv 2503.14476), in `epochs`
 * passes over shuffled minibatches.
 *
 * @throws GyreError `bad_input` if sampler and trainer disagree (see `UpdateOptions.gap`)
 */
export async function updatePolicy(
  engine: TrainingEngine,
  rollouts: readonly Rollout[],
  options: UpdateOptions,
  random: Random,
): Promise<PolicyUpdate> {
  const { critic, reference, imitation = 0 } = options;
  const values =
    critic && options.advantage.kind === 'critic' ? await criticValues(critic.engine, rollouts) : undefined;
  const divergence = reference && (await divergences(reference.engine, rollouts));
  const penalties = divergence?.map((turns) => turns.map((nats) => nats * (reference?.weight ?? 0)));
  const estimated = estimateTargets(rollouts, options, { values, penalties, baseline: options.baseline });
  const before = await engine.forward(dataOf(estimated));
  const gap = await checkedGap(before, estimated, options.gap);
  const { targets, behaviour } = corrected(before, estimated, options.behaviourCap);
  const successTokens = imitation > 0 ? tokensOf(targets.filter(({ succeeded }) => succeeded)) : 0;
  const update: PolicyUpdate = {
    decisions: targets.length,
    tokens: tokensOf(targets),
    entropy: before.entropies && mean(before.entropies.flat(2)),
    ...lastRatios([], [], options),
    gradientNorm: NaN,
    gap,
    ...criticMetrics(values && targets),
    staleness: {},
    ...(behaviour && { behaviour }),
    ...(divergence && { divergence: mean(divergence.flat()) }),
  };
  const imitated = { nats: 0, tokens: 0 };
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    const batches = minibatches(random.shuffle([...targets]), options.minibatch);
    const last: { before: number[]; after: number[] } = { before: [], after: [] };
    const norms: number[] = [];
    for (const [number, batch] of batches.entries()) {
      const result = await engine.forwardBackward({
        data: dataOf(batch),
        loss: {
          name: 'ppo',
          clipLow: options.clipLow,
          clipHigh: options.clipHigh,
          dualClip: options.dualClip,
          entropy: options.entropy,
        },
        freezeEncoder: options.freezeEncoder,
      });
      const successes = imitation > 0 ? batch.filter(({ succeeded }) => succeeded) : [];
      if (successes.length > 0) {
        const tokens = tokensOf(successes);
        // A plain mean would overweight tokens in minibatches that have few.
        const weight = (imitation * tokens * batches.length) / successTokens;
        const { loss } = await engine.forwardBackward({
          data: dataOf(successes),
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

const probedPrompts = 4;

async function checkedGap(
  { logprobs, policyVersion }: Pick<NativeForward, 'logprobs' | 'policyVersion'>,
  targets: readonly Target[],
  check: UpdateOptions['gap'],
): Promise<ProbabilityGap> {
  const answers = targets.flatMap(({ sequence, decision }, i) => {
    if (decision.policyVersion !== policyVersion || !sequence.logprobs) return [];
    const { prompt = [] } = sequence;
    const hasPictures = decision.datum.screenshots.length > 0 || prompt.some((piece) => 'picture' in piece);
    return [{ hasPictures, sampled: sequence.logprobs, recomputed: logprobs[i]?.[0] ?? [] }];
  });
  const known = gapOf(answers);
  // Dynamic filtering may leave nothing to train on.
  if (!check || targets.length === 0) return known;
  const prompts = targets.slice(-probedPrompts).flatMap(({ sequence: { prompt } }) => (prompt ? [prompt] : []));
  const gap = known.tokens > 0 || prompts.length === 0 ? known : await check.probe(prompts);
  expectSmallGap(gap, check);
  return gap;
}

/**
 * Replaces behaviour log-probabilities by proximal ones and multiplies advantages by the importance weight (decoupled
 * objective, arXiv 2110.00641). Tokens of the current version are unchanged.
 */
function corrected(
  { logprobs, policyVersion }: Pick<NativeForward, 'logprobs' | 'policyVersion'>,
  targets: readonly Target[],
  cap: number | undefined,
): { targets: readonly Target[]; behaviour?: { weight: number; capped: number } } {
  if (cap === undefined) return { targets };
  const allWeights: number[] = [];
  const moved = targets.map((target, i): Target => {
    const { sequence, decision } = target;
    const sampled = sequence.logprobs ?? [];
    const proximal = decision.policyVersion === policyVersion ? sampled : (logprobs[i]?.[0] ?? sampled);
    const weights = behaviourWeights(proximal, sampled, cap);
    allWeights.push(...weights);
    const advantages = sequence.advantages?.map((advantage, t) => advantage * (weights[t] ?? 1));
    return { ...target, sequence: { ...sequence, logprobs: proximal, ...(advantages && { advantages }) } };
  });
  const capped = allWeights.filter((weight) => weight >= cap).length / allWeights.length;
  return { targets: moved, behaviour: { weight: mean(allWeights), capped } };
}

const dataOf = (targets: readonly Target[]) =>
  targets.map(({ decision, sequence }) => ({ screenshots: decision.datum.screenshots, sequences: [sequence] }));

function criticMetrics(
  targets: readonly Target[] | undefined,
): Pick<PolicyUpdate, 'explainedVariance' | 'valueCorrelation'> {
  if (!targets) return { explainedVariance: undefined, valueCorrelation: undefined };
  const values = targets.map(({ value }) => value);
  const returns = targets.map(({ monteCarloReturn }) => monteCarloReturn);
  return { explainedVariance: explainedVariance(values, returns), valueCorrelation: correlation(values, returns) };
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

function lastRatios(
  before: readonly number[],
  after: readonly number[],
  { clipLow, clipHigh }: Pick<UpdateOptions, 'clipLow' | 'clipHigh'>,
): Pick<PolicyUpdate, 'kl' | 'clippedLow' | 'clippedHigh' | 'ratioLow' | 'ratioHigh'> {
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
  result: Pick<NativeForwardBackward, 'logprobs'>,
  ratios: { before: number[]; after: number[] },
): void {
  for (const [i, { sequence }] of batch.entries()) {
    ratios.before.push(...(sequence.logprobs ?? []));
    ratios.after.push(...(result.logprobs[i]?.[0] ?? []));
  }
}

async function updateCritic(
  critic: NonNullable<UpdateOptions['critic']>,
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
