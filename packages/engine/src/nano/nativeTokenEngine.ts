import { GyreError } from '@gyre/protocol';
import type {
  Datum,
  Engine,
  EngineTraits,
  Loss,
  Picture,
  Piece,
  SampleRequest,
  Sampled,
  SavedWeights,
} from '../engine.js';
import type {
  NativeDatum,
  NativeEngine,
  NativeLoss,
  NativeSampled,
  NativeSequence,
  Screenshot,
} from './nativeEngine.js';
import { readPieces } from './nativePieces.js';
import { format } from './policyCheckpoint.js';
import { vocabularyHash } from './vocabulary.js';

export interface NativeTokenEngineOptions {
  readonly engine: NativeEngine;
  /** Decodes to RGB bytes, `[height, width, 3]`. */
  readonly pixels: (picture: Picture) => Promise<Uint8Array>;
  readonly thinks?: boolean | undefined;
}

/** Predicts actions alone: log-probabilities of the prompt are 0. */
export class NativeTokenEngine implements Engine {
  readonly traits: EngineTraits = {
    model: format,
    vocabulary: vocabularyHash,
    losses: ['cross_entropy', 'importance_sampling', 'ppo'],
    pictures: true,
  };
  readonly #options: NativeTokenEngineOptions;

  constructor(options: NativeTokenEngineOptions) {
    this.#options = options;
  }

  async sample(requests: readonly SampleRequest[]): Promise<Sampled[]> {
    const { engine, thinks } = this.#options;
    // Nothing follows a whole action.
    const isWhole = requests.map(({ input }) => endsAction(input));
    const open = requests.filter((_, i) => !isWhole[i]);
    const read = await Promise.all(
      open.map(async ({ input, temperature, topP, seed, signal }) => {
        signal?.throwIfAborted();
        const { pictures, tokens, clock, action } = readPieces(input);
        if (action.length > 0) {
          throw new GyreError('bad_input', 'the native policy cannot continue a partial action', {
            field: 'input',
            fix: 'end the prompt in <act>',
          });
        }
        const screenshots = await this.#screenshots(pictures);
        return {
          input: { screenshots, tokens, clock },
          temperature,
          thinks,
          seed,
          ...(topP !== undefined && { topP }),
        };
      }),
    );
    const sampled = await engine.sample(read);
    const policyVersion = sampled[0]?.policyVersion ?? (await this.publish()).policyVersion;
    const results = sampled.map((whole, i) => truncated(whole, open[i]!)).values();
    const nothing = (): Sampled => ({ tokens: [], logprobs: [], end: 'stop', policyVersion });
    return isWhole.map((whole) => (whole ? nothing() : results.next().value!));
  }

  async forward(data: readonly Datum[]): Promise<{ logprobs: number[][]; policyVersion: number }> {
    const read = await Promise.all(data.map((datum) => this.#read(datum)));
    const { logprobs, policyVersion } = await this.#options.engine.forward(read.map(({ native }) => native));
    return { logprobs: aligned(read, logprobs), policyVersion };
  }

  async forwardBackward(
    data: readonly Datum[],
    loss: Loss,
  ): Promise<{ logprobs: number[][]; metrics: Record<string, number> }> {
    const engineLoss = nativeLoss(loss);
    const read = await Promise.all(data.map((datum) => this.#read(datum)));
    const result = await this.#options.engine.forwardBackward({
      data: read.map(({ native }) => native),
      loss: engineLoss,
      reduction: 'sum',
    });
    return { logprobs: aligned(read, result.logprobs), metrics: { 'total_loss:sum': result.loss } };
  }

  async optimStep({ learningRate }: { learningRate: number }): Promise<{ gradientNorm: number }> {
    const { gradientNorm } = await this.#options.engine.optimStep({ learningRate });
    return { gradientNorm };
  }

  async publish(): Promise<{ policyVersion: number }> {
    const { policyVersion } = await this.#options.engine.forward([]);
    return { policyVersion };
  }

  async save(name: string): Promise<SavedWeights> {
    await this.#options.engine.save(name);
    return { path: name, ...(await this.publish()) };
  }

  async load(name: string, options?: { optimiser?: boolean }): Promise<void> {
    await this.#options.engine.load(name, options);
  }

  close(): Promise<void> {
    return this.#options.engine.close();
  }

  #screenshots(pictures: readonly Picture[]): Promise<Screenshot[]> {
    const { pixels } = this.#options;
    return Promise.all(
      pictures.map(async (picture) => ({ hash: picture.hash, size: picture.size, pixels: await pixels(picture) })),
    );
  }

  async #read(datum: Datum): Promise<ReadDatum> {
    const { input, weights, logprobs, advantages } = datum;
    const { pictures, tokens, clock, action, length } = readPieces(input);
    const before = length - 1 - action.length;
    const ofAction = (values: readonly number[], field: string): readonly number[] => {
      if (values.length !== length - 1) refuse(field, `${field} has ${values.length} values, not ${length - 1}`);
      return values.slice(before);
    };
    const sequence: NativeSequence = {
      ...{ tokens, clock, action, weights: ofAction(weights, 'weights') },
      ...(logprobs && { logprobs: ofAction(logprobs, 'logprobs') }),
      ...(advantages && { advantages: ofAction(advantages, 'advantages') }),
    };
    if (weights.slice(0, before).some((weight) => weight !== 0)) {
      refuse('weights', 'a prompt token has a weight, but the native policy predicts only actions');
    }
    return { before, native: { screenshots: await this.#screenshots(pictures), sequences: [sequence] } };
  }
}

/** `before` counts the tokens before the action. */
interface ReadDatum {
  readonly before: number;
  readonly native: NativeDatum;
}

function aligned(read: readonly ReadDatum[], logprobs: readonly number[][][]): number[][] {
  return read.map(({ before }, i) => [...new Array<number>(before).fill(0), ...(logprobs[i]?.[0] ?? [])]);
}

function endsAction(input: readonly Piece[]): boolean {
  const { action, vocabulary, commands } = readPieces(input);
  return action.length > 0 && vocabulary.next(action, commands) === undefined;
}

/** Later tokens do not depend on `stop` and `maxTokens`. */
function truncated(
  { tokens, logprobs, policyVersion }: NativeSampled,
  { input, maxTokens, stop = [] }: { input: readonly Piece[]; maxTokens: number; stop?: readonly number[] },
): Sampled {
  const stopped = tokens.findIndex((token) => stop.includes(token)) + 1;
  const length = Math.min(maxTokens, stopped > 0 ? stopped : tokens.length);
  const { vocabulary, commands } = readPieces(input);
  const isWhole = length === tokens.length && vocabulary.next(tokens, commands) === undefined;
  const end = length === stopped || isWhole ? 'stop' : 'length';
  return { tokens: tokens.slice(0, length), logprobs: logprobs.slice(0, length), end, policyVersion };
}

function nativeLoss(loss: Loss): NativeLoss {
  switch (loss.name) {
    case 'cross_entropy':
      return loss;
    case 'ppo':
      return { name: 'ppo', clipLow: loss.clipLow, clipHigh: loss.clipHigh };
    case 'importance_sampling':
      // Clips nothing: ratios are positive and below 1e30.
      return { name: 'ppo', clipLow: 1, clipHigh: 1e30 };
    case 'cispo':
      throw new GyreError('bad_input', 'the native engine does not support the loss cispo', {
        field: 'loss',
        fix: 'use cross_entropy, importance_sampling or ppo',
      });
  }
}

function refuse(field: string, message: string): never {
  throw new GyreError('bad_input', message, { field, fix: 'give one number for every input token but the first' });
}
