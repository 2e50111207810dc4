import type { Size } from '@gyre/protocol';

export interface Picture {
  /** SHA-256 of `png`, in hex. */
  readonly hash: string;
  readonly png: Uint8Array;
  /** In px. */
  readonly size: Size;
}

/** A run of tokens, or a picture that stands for `length` tokens. */
export type Piece = { readonly tokens: readonly number[] } | { readonly picture: Picture; readonly length: number };

export interface SampleRequest {
  readonly input: readonly Piece[];
  readonly maxTokens: number;
  /** Tokens that end the sample, and belong to it. */
  readonly stop?: readonly number[];
  readonly temperature: number;
  /** Draws from the most likely tokens that together have this probability (Holtzman et al. 2020). Default 1: all. */
  readonly topP?: number;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Sampled {
  readonly tokens: number[];
  /** Natural-log probabilities at temperature 1. */
  readonly logprobs: number[];
  /** `length`: `maxTokens` ended the sample. */
  readonly end: 'stop' | 'length';
  readonly policyVersion: number;
}

/** A sequence to train on. Each list has one number for every token of `input` but the first; a picture has `length` tokens. */
export interface Datum {
  readonly input: readonly Piece[];
  readonly weights: readonly number[];
  /** Log-probabilities of the policy that sampled. For every loss but `cross_entropy`. */
  readonly logprobs?: readonly number[];
  readonly advantages?: readonly number[];
}

export type Loss =
  | { readonly name: 'cross_entropy' }
  /** `-w r A`, with `r` the ratio of the probability to that of the policy that sampled */
  | { readonly name: 'importance_sampling' }
  /** PPO: `-w min(r A, clip(r, 1 - clipLow, 1 + clipHigh) A)`; CISPO (arXiv 2506.13585): `-w sg(clip(r)) A log p` */
  | { readonly name: 'ppo' | 'cispo'; readonly clipLow: number; readonly clipHigh: number };

export interface EngineTraits {
  /** Names the model in every `Sample`. */
  readonly model: string;
  /** Hash of the tokenizer: which tokens the ids stand for. */
  readonly vocabulary: string;
  readonly losses: readonly Loss['name'][];
  readonly pictures: boolean;
}

/**
 * A model that samples and trains, here or on a server, in the terms of the Tinker API. It knows tokens and pictures; a `Language` of
 * @gyre/agent turns a task into them and tokens into a turn.
 */
export interface Engine {
  readonly traits: EngineTraits;
  /** Samples from the weights of the last `publish`. */
  sample(requests: readonly SampleRequest[]): Promise<Sampled[]>;
  /** Returns log-probabilities `[datum][token of the input but the first]`. */
  forward(data: readonly Datum[]): Promise<{ logprobs: number[][]; policyVersion: number }>;
  /**
   * Adds the gradient of the SUM of the weighted losses to the gradients since the last `optimStep`. Engines may clip gradients by their
   * norm: divide the weights by the number of trained tokens.
   */
  forwardBackward(
    data: readonly Datum[],
    loss: Loss,
  ): Promise<{ logprobs: number[][]; metrics: Record<string, number> }>;
  optimStep(options: { learningRate: number }): Promise<{ gradientNorm?: number }>;
  /** Lets `sample` use the weights as they are now. */
  publish(): Promise<{ policyVersion: number }>;
  save(name: string): Promise<void>;
  load(name: string, options?: { optimiser?: boolean }): Promise<void>;
  close(): Promise<void>;
}
