import type { Size } from '@gyre/protocol';

export interface Picture {
  readonly hash: string;
  readonly png: Uint8Array;
  readonly size: Size;
}

/** `length` is the number of tokens that the picture occupies. */
export type Piece = { readonly tokens: readonly number[] } | { readonly picture: Picture; readonly length: number };

export interface SampleRequest {
  readonly input: readonly Piece[];
  readonly maxTokens: number;
  /** Included in the sample. */
  readonly stop?: readonly number[];
  readonly temperature: number;
  /** Nucleus sampling (Holtzman et al. 2020). Default 1: all tokens. */
  readonly topP?: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Sampled {
  readonly tokens: number[];
  /** Natural-log probabilities at temperature 1. */
  readonly logprobs: number[];
  readonly end: 'stop' | 'length';
  readonly policyVersion: number;
}

/** Each list has one number per token of `input` except the first. */
export interface Datum {
  readonly input: readonly Piece[];
  readonly weights: readonly number[];
  /** Log-probabilities under the sampling policy; required except for `cross_entropy`. */
  readonly logprobs?: readonly number[];
  readonly advantages?: readonly number[];
}

export type Loss =
  | { readonly name: 'cross_entropy' }
  /** `-w r A`, where `r` is the probability ratio to the sampling policy */
  | { readonly name: 'importance_sampling' }
  /** PPO: `-w min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)`; CISPO (arXiv 2506.13585): `-w sg(clip(r)) A log p` */
  | { readonly name: 'ppo' | 'cispo'; readonly clipLow: number; readonly clipHigh: number };

export interface EngineTraits {
  readonly model: string;
  readonly vocabulary: string;
  readonly losses: readonly Loss['name'][];
  readonly pictures: boolean;
}

/** Weights that an engine saved. */
export interface SavedWeights {
  /** For `load`, in later processes too: a file or `tinker://MODEL/weights/NAME`. */
  readonly path: string;
  readonly policyVersion: number;
}

/** A model that samples and trains, modelled on the Tinker API. */
export interface Engine {
  readonly traits: EngineTraits;
  /** Samples from the weights of the last `publish`. */
  sample(requests: readonly SampleRequest[]): Promise<Sampled[]>;
  /** Returns `[datum][token of the input but the first]`. */
  forward(data: readonly Datum[]): Promise<{ logprobs: number[][]; policyVersion: number }>;
  /**
   * Accumulates the gradient of the SUM of the weighted losses. Engines may clip by norm: divide the weights by the
   * number of trained tokens.
   */
  forwardBackward(
    data: readonly Datum[],
    loss: Loss,
  ): Promise<{ logprobs: number[][]; metrics: Record<string, number> }>;
  optimStep(options: { learningRate: number }): Promise<{ gradientNorm?: number }>;
  publish(): Promise<{ policyVersion: number }>;
  save(name: string): Promise<SavedWeights>;
  /** `policyVersion` of the loaded weights continues the count of an earlier process. */
  load(name: string, options?: { optimiser?: boolean; policyVersion?: number }): Promise<void>;
  close(): Promise<void>;
}
