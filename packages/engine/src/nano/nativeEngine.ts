import type { Size } from '@gyre/protocol';
import type { ContextToken } from './context.js';
import type { GlyphTargets } from './glyphs.js';

/** A screenshot as the model reads it: RGB bytes `[height, width, 3]`. */
export interface Screenshot {
  /** Hash of the encoded picture, by which features are cached. */
  readonly hash: string;
  readonly pixels: Uint8Array;
  readonly size: Size;
}

export interface NativeInput {
  /** Newest last, all of one size. The model reads the last ones, as many as it takes. */
  readonly screenshots: readonly Screenshot[];
  /** Instruction and past, see `contextTokens`. */
  readonly tokens: readonly ContextToken[];
  /** Number of the turn: the screen does not show how much of the budget is left. */
  readonly clock?: number;
}

export interface NativeSampleRequest {
  readonly input: NativeInput;
  readonly temperature: number;
  /** Draws from the most likely tokens that together have this probability (Holtzman et al. 2020). Default 1: all. */
  readonly topP?: number;
  /**
   * Forces a thought, or forbids it. Default: the policy decides. A forced sample is off-policy, although its log-probabilities are those of
   * the policy.
   */
  readonly thinks?: boolean | undefined;
  /** Seeds this request alone: the batch does not matter. */
  readonly seed: number;
  /** Likeliest tokens to return for each sampled token. Default 0. */
  readonly topLogprobs?: number;
}

/** A token with its natural-log probability under the action grammar at temperature 1. */
export interface TokenLogprob {
  readonly token: number;
  readonly logprob: number;
}

export interface NativeSampled {
  readonly tokens: number[];
  /** Natural-log probabilities under the action grammar at temperature 1. */
  readonly logprobs: number[];
  /** The likeliest tokens in place of each token, likeliest first. */
  readonly topLogprobs?: readonly (readonly TokenLogprob[])[];
  readonly policyVersion: number;
}

/** A decision to train on. All lists are as long as `action`. */
export interface NativeSequence {
  readonly tokens: readonly ContextToken[];
  readonly action: readonly number[];
  readonly clock?: number;
  /** Default 1 each. */
  readonly weights?: readonly number[];
  /** `cross_entropy`: all tokens that are equally good, the token itself included; undefined where there is no other. */
  readonly equals?: readonly (readonly number[] | undefined)[];
  /** `ppo`: log-probabilities of the policy that sampled. */
  readonly logprobs?: readonly number[];
  readonly advantages?: readonly number[];
  /** `ppo_critic`: target of the value. */
  readonly return?: number;
  /** `ppo_critic`: value before the update, for clipping. */
  readonly value?: number;
}

/** Decisions that were made on the same screenshots, which are encoded once. */
export interface NativeDatum {
  readonly screenshots: readonly Screenshot[];
  readonly sequences: readonly NativeSequence[];
  /** Text on the newest screenshot. For `cross_entropy`, `letters` and `reading`. */
  readonly glyphs?: GlyphTargets;
}

export type NativeLoss =
  /** Reading by the stem alone, or by all reading heads. Sequences are ignored. */
  | { readonly name: 'letters' | 'reading' }
  /** Plus `glyphWeight` times the reading loss where there are glyph targets. `weight` (default 1) scales all of it. */
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
  /** `mean` divides by the sum of the weights, over the whole request. Default `mean`. */
  readonly reduction?: 'mean' | 'sum';
  /** Does not train the encoder, and takes features of screenshots from the cache. */
  readonly freezeEncoder?: boolean;
}

/** Log-probabilities and entropies `[datum][sequence][token]` and values `[datum][sequence]`, before the gradient. */
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

/** The parameters to train: the stem, which sees letters; everything but the encoder; or all. */
export type TrainablePart = 'stem' | 'decoder' | 'all';

export interface NativeOptimStep {
  readonly gradientNorm: number;
  readonly policyVersion: number;
}

/**
 * The native policy or critic, which samples and trains in this process or a thread of it. Beyond an `Engine` it has reading targets,
 * equally good tokens, a frozen encoder, entropies and a value head. `NativeTokenEngine` makes it an `Engine`. What it learns it samples
 * from at once.
 */
export interface NativeEngine {
  sample(requests: readonly NativeSampleRequest[]): Promise<NativeSampled[]>;
  forward(data: readonly NativeDatum[]): Promise<NativeForward>;
  /** Adds the gradients to those since the last `optimStep`. */
  forwardBackward(request: NativeLearningRequest): Promise<NativeForwardBackward>;
  optimStep(options: { learningRate: number; part?: TrainablePart }): Promise<NativeOptimStep>;
  save(path: string): Promise<void>;
  /** Loads weights and, with `optimiser` (the default), moments and version, where the file has them. */
  load(path: string, options?: { optimiser?: boolean }): Promise<{ policyVersion: number }>;
  close(): Promise<void>;
}
