import type {
  Datum,
  Engine,
  Loss,
  NativeDatum,
  NativeForward,
  NativeForwardBackward,
  NativeLearningRequest,
  NativeLoss,
  NativeOptimStep,
  TrainablePart,
  TrainingEngine,
} from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import { forwardBackwardInRequests, forwardInRequests } from './requests.js';
import { servedData } from './servedData.js';
import { expectServable } from './unsupported.js';

/**
 * Trains a policy behind an `Engine` by the algorithms for native ones. Sequences need a `prompt`; their screenshots and
 * context are ignored. Entropies are unknown.
 *
 * Updates reach sampling with the engine's next `publish`.
 */
export class ServedPolicy implements TrainingEngine {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async forward(data: readonly NativeDatum[]): Promise<Omit<NativeForward, 'entropies'>> {
    const request = servedData(data, { scale: 1, isSampled: false });
    const { logprobs, policyVersion } = await forwardInRequests(this.#engine, request.data);
    return { logprobs: request.bySequence(logprobs), values: [], policyVersion };
  }

  /**
   * Supports `ppo` and `cross_entropy`.
   *
   * @throws GyreError `bad_input` for settings that the server does not take (see `expectServable`), for losses and
   *   targets of native engines, and for sequences without a prompt
   */
  async forwardBackward({
    data,
    loss,
    reduction = 'mean',
    freezeEncoder,
  }: NativeLearningRequest): Promise<Omit<NativeForwardBackward, 'entropies'>> {
    expectServable({ freezeEncoder, ...(loss.name === 'ppo' && loss) });
    const servedLoss = servedLossOf(loss);
    if (data.some(({ glyphs, sequences }) => glyphs ?? sequences.some(({ equals }) => equals))) {
      throw new GyreError('bad_input', 'a served policy learns no glyphs and no equally good tokens', {
        field: 'data',
        fix: 'leave out glyphs and equals',
      });
    }
    const weight = loss.name === 'cross_entropy' ? (loss.weight ?? 1) : 1;
    const scale = reduction === 'sum' ? weight : weight / trainedTokens(data);
    const request = servedData(data, { scale, isSampled: loss.name === 'ppo' });
    const logprobs = await forwardBackwardInRequests(this.#engine, request.data, servedLoss);
    return { logprobs: request.bySequence(logprobs), values: [], loss: lossOf(request.data, logprobs, servedLoss) };
  }

  /** @throws GyreError `bad_input` for a part of the policy */
  async optimStep(options: { learningRate: number; part?: TrainablePart }): Promise<NativeOptimStep> {
    return servedStep(this.#engine, options);
  }
}

/** @throws GyreError `bad_input` for a part of the policy */
export async function servedStep(
  engine: Engine,
  { learningRate, part }: { learningRate: number; part?: TrainablePart },
): Promise<NativeOptimStep> {
  expectServable({ part });
  const { gradientNorm = NaN } = await engine.optimStep({ learningRate });
  const { policyVersion } = await engine.forward([]);
  return { gradientNorm, policyVersion };
}

function servedLossOf(loss: NativeLoss): Loss {
  if (loss.name === 'ppo') return { name: 'ppo', clipLow: loss.clipLow, clipHigh: loss.clipHigh };
  if (loss.name === 'cross_entropy' && !loss.glyphWeight) return { name: 'cross_entropy' };
  const refused = loss.name === 'cross_entropy' ? 'glyphWeight' : loss.name;
  throw new GyreError('bad_input', `a served policy does not support the loss ${refused}`, {
    field: 'loss',
    fix: loss.name === 'ppo_critic' ? 'train a ServedCritic' : 'use ppo, or cross_entropy without glyphs',
  });
}

/** Sums the weights. */
function trainedTokens(data: readonly NativeDatum[]): number {
  let total = 0;
  for (const { sequences } of data) {
    for (const { action, weights } of sequences) for (const t of action.keys()) total += weights?.[t] ?? 1;
  }
  return Math.max(total, 1e-6);
}

/** Servers name the metric differently, or leave it out. */
function lossOf(data: readonly Required<Datum>[], logprobs: readonly (readonly number[])[], loss: Loss): number {
  let total = 0;
  for (const [i, datum] of data.entries()) {
    for (const [k, weight] of datum.weights.entries()) {
      if (weight === 0) continue;
      const logprob = logprobs[i]?.[k] ?? NaN;
      total -= weight * ('clipLow' in loss ? surrogate(datum, k, { logprob, ...loss }) : logprob);
    }
  }
  return total;
}

function surrogate(
  datum: Required<Datum>,
  k: number,
  { logprob, clipLow, clipHigh }: { logprob: number; clipLow: number; clipHigh: number },
): number {
  const advantage = datum.advantages[k] ?? 0;
  const ratio = Math.exp(logprob - (datum.logprobs[k] ?? 0));
  return Math.min(ratio * advantage, Math.min(Math.max(ratio, 1 - clipLow), 1 + clipHigh) * advantage);
}
