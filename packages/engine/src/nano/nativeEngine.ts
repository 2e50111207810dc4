import type { Size, TextLine } from '@gyre/protocol';
import type { Piece } from '../engine.js';
import type { SceneContext } from '../eyes/scene.js';
import type { ContextToken } from './context.js';
import type { GlyphTargets } from './glyphs.js';
import type { DecodedTurn } from './vocabulary.js';

/** RGB bytes `[height, width, 3]`. */
export interface Screenshot {
  readonly hash: string;
  readonly pixels: Uint8Array;
  readonly size: Size;
  /** Its text, for policies with a reader. */
  readonly lines?: readonly TextLine[] | undefined;
}

export interface NativeInput {
  /** Newest last, of equal size. Only the last ones are read. */
  readonly screenshots: readonly Screenshot[];
  readonly tokens: readonly ContextToken[];
  /** Turn number: the screen does not show the remaining budget. */
  readonly clock?: number;
  /** For policies with a reader, which ignore `tokens`. */
  readonly scene?: SceneContext | undefined;
}

export interface NativeSampleRequest {
  readonly input: NativeInput;
  readonly temperature: number;
  /** Nucleus sampling (Holtzman et al. 2020). Default 1. */
  readonly topP?: number;
  /** Forces or forbids a thought; such samples are off-policy. Default: the policy decides. */
  readonly thinks?: boolean | undefined;
  readonly seed: number;
  /** Default 0. */
  readonly topLogprobs?: number;
}

export interface TokenLogprob {
  readonly token: number;
  readonly logprob: number;
}

export interface NativeSampled {
  readonly tokens: number[];
  /** Natural logarithms under the action grammar at temperature 1. */
  readonly logprobs: number[];
  /** Per sampled token, likeliest first. */
  readonly topLogprobs?: readonly (readonly TokenLogprob[])[];
  readonly policyVersion: number;
  /** Policies with a reader: what the tokens say of their scene. Undefined if they are cut off. */
  readonly turn?: DecodedTurn | undefined;
}

/** All lists are as long as `action`. */
export interface NativeSequence {
  readonly tokens: readonly ContextToken[];
  readonly action: readonly number[];
  readonly clock?: number;
  /** For policies with a reader, which ignore `tokens`. */
  readonly scene?: SceneContext | undefined;
  /**
   * The prompt of a policy behind an `Engine`, which ignores `tokens`, as native engines ignore this. A field, not a
   * union of datum types: the algorithms read actions, log-probabilities and returns alone, which both have.
   */
  readonly prompt?: readonly Piece[] | undefined;
  readonly weights?: readonly number[];
  /** `cross_entropy`: equally good tokens, itself included, if any. */
  readonly equals?: readonly (readonly number[] | undefined)[];
  readonly logprobs?: readonly number[];
  readonly advantages?: readonly number[];
  readonly return?: number;
  /** `ppo_critic`: before the update, for clipping. */
  readonly value?: number;
}

export interface NativeDatum {
  readonly screenshots: readonly Screenshot[];
  readonly sequences: readonly NativeSequence[];
  readonly glyphs?: GlyphTargets;
}

export type NativeLoss =
  /** Reading losses of the stem or of all heads; sequences are ignored. */
  | { readonly name: 'letters' | 'reading' }
  /** Adds `glyphWeight` times the reading loss. `weight` scales the total. */
  | { readonly name: 'cross_entropy'; readonly glyphWeight?: number; readonly weight?: number }
  | {
      readonly name: 'ppo';
      readonly clipLow: number;
      readonly clipHigh: number;
      readonly dualClip?: number;
      readonly entropy?: number;
    }
  | { readonly name: 'ppo_critic'; readonly valueClip: number };

export interface NativeLearningRequest {
  readonly data: readonly NativeDatum[];
  readonly loss: NativeLoss;
  /** `mean` (default) divides by the weights' sum over the request. */
  readonly reduction?: 'mean' | 'sum';
  /** Reuses cached screenshot features. */
  readonly freezeEncoder?: boolean;
}

/** `[datum][sequence][token]`, and values `[datum][sequence]`, before the gradient. */
export interface NativeOutputs {
  readonly logprobs: number[][][];
  readonly entropies: number[][][];
  readonly values: number[][];
}

export interface NativeForward extends NativeOutputs {
  readonly policyVersion: number;
}

export interface NativeForwardBackward extends NativeOutputs {
  readonly loss: number;
}

/** `stem` reads letters; `decoder` is everything except the encoder. */
export type TrainablePart = 'stem' | 'decoder' | 'all';

export interface NativeOptimStep {
  readonly gradientNorm: number;
  readonly policyVersion: number;
}

/** Entropies are undefined if the engine does not know them, as a server of Tinker's API. */
type EntropyOptional<T extends NativeOutputs> = Omit<T, 'entropies'> & Partial<Pick<T, 'entropies'>>;

/** Trains a policy or critic, native or served. The training algorithms need no more. */
export interface TrainingEngine {
  forward(data: readonly NativeDatum[]): Promise<EntropyOptional<NativeForward>>;
  forwardBackward(request: NativeLearningRequest): Promise<EntropyOptional<NativeForwardBackward>>;
  /** `gradientNorm` is NaN if unknown. */
  optimStep(options: { learningRate: number; part?: TrainablePart }): Promise<NativeOptimStep>;
}

/** A native policy or critic, adapted to `Engine` by `NativeTokenEngine`. Updates affect sampling at once. */
export interface NativeEngine {
  sample(requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]>;
  forward(data: readonly NativeDatum[]): Promise<NativeForward>;
  forwardBackward(request: NativeLearningRequest): Promise<NativeForwardBackward>;
  optimStep(options: { learningRate: number; part?: TrainablePart }): Promise<NativeOptimStep>;
  save(path: string): Promise<void>;
  /** Loads weights and, by default, moments and version if the same optimiser saved them. */
  load(path: string, options?: { optimiser?: boolean }): Promise<{ policyVersion: number }>;
  close(): Promise<void>;
}
