import type { Size } from '@gyre/protocol';
import type { ContextToken } from './context.js';
import type { GlyphTargets } from './glyphs.js';

/** A screenshot as the model reads it: RGB bytes of `height * width * 3`, named by the hash of its encoded form. */
export interface Screenshot {
  readonly hash: string;
  readonly pixels: Uint8Array;
  /** In px. */
  readonly size: Size;
}

/** What a decision is made from. */
export interface ModelInput {
  /** The last screenshots, newest last and all of one size; of more than the model takes, the last count. */
  readonly screenshots: readonly Screenshot[];
  /** Instruction and past, see `contextTokens`. */
  readonly tokens: readonly ContextToken[];
  /** Number of the turn, for critics: the screen does not show how much of the budget is left. */
  readonly clock?: number;
}

export interface SampleRequest {
  readonly input: ModelInput;
  /** 0 takes the most likely token. */
  readonly temperature: number;
  /** Only the most likely tokens that together have this probability are drawn (Holtzman et al. 2020); 1, the default, keeps all. */
  readonly topP?: number;
  /**
   * Whether it begins with a thought. Default: as the policy decides. Where it would have decided otherwise, what is sampled is not
   * what the policy does by itself: its log-probabilities are right, but it is nothing to learn from on-policy.
   */
  readonly thinks?: boolean | undefined;
  /** Seeds this request's sampling alone: the batch that it joins does not matter. */
  readonly seed: number;
  /** How many of the likeliest tokens are told for each that was sampled. Default 0. */
  readonly topLogprobs?: number;
}

/** A token with its natural-log probability under the action grammar at temperature 1. */
export interface TokenLogprob {
  readonly token: number;
  readonly logprob: number;
}

export interface Sampled {
  /** The tokens of one whole action. */
  readonly tokens: number[];
  /** Natural-log probabilities under the action grammar at temperature 1. */
  readonly logprobs: number[];
  /** For each token the likeliest in its place, likeliest first; where they were asked for. */
  readonly topLogprobs?: readonly (readonly TokenLogprob[])[];
  readonly policyVersion: number;
}

/** A decision to learn from. All lists are as long as `action`. */
export interface Sequence {
  readonly tokens: readonly ContextToken[];
  readonly action: readonly number[];
  readonly clock?: number;
  /** Weight of each token in the loss; 1 where absent. */
  readonly weights?: readonly number[];
  /** `cross_entropy`: for each token of `action`, all that are as good, itself included; undefined where there is no other. */
  readonly equals?: readonly (readonly number[] | undefined)[];
  /** `ppo`: log-probabilities of the policy that sampled. */
  readonly logprobs?: readonly number[];
  /** `ppo`. */
  readonly advantages?: readonly number[];
  /** `ppo_critic`: what the value should have been, one number. */
  readonly return?: number;
  /** `ppo_critic`: the value before the update, for clipping. */
  readonly value?: number;
}

/** Screenshots, newest last and all of one size, and the decisions that were made on them. They are encoded once, however many sequences there are. */
export interface Datum {
  readonly screenshots: readonly Screenshot[];
  readonly sequences: readonly Sequence[];
  /** What is written where on the newest screenshot. `cross_entropy`, `letters` and `reading` only. */
  readonly glyphs?: GlyphTargets;
}

export type Loss =
  /** Mean reading loss of the stem's letters alone, or of all that is read; sequences are not looked at. */
  | { readonly name: 'letters' | 'reading' }
  /**
   * Mean over tokens of -log p(action). With glyph targets, plus `glyphWeight` times the mean reading loss. All of it counts
   * `weight` (1 where absent), against other losses whose gradients go into the same step.
   */
  | { readonly name: 'cross_entropy'; readonly glyphWeight?: number; readonly weight?: number }
  /**
   * Token-mean clipped surrogate (PPO, arXiv 1707.06347 eq. 7) with thresholds of their own (DAPO, arXiv 2503.14476 eq. 10), less `entropy` (0
   * where absent) times the mean entropy of the tokens (eq. 9). With `dualClip` a token of negative advantage counts no more than that many
   * times its advantage, however much likelier it has become (dual-clip PPO, arXiv 1912.09729 eq. 5).
   */
  | {
      readonly name: 'ppo';
      readonly clipLow: number;
      readonly clipHigh: number;
      readonly dualClip?: number;
      readonly entropy?: number;
    }
  /** Half the squared error of the value, clipped around the value before the update. */
  | { readonly name: 'ppo_critic'; readonly valueClip: number };

export interface ForwardBackwardRequest {
  readonly data: readonly Datum[];
  readonly loss: Loss;
  /** The encoder does not learn; what it made of a screenshot is kept and used again. */
  readonly freezeEncoder?: boolean;
}

/** Log-probabilities, entropies and values for each datum, sequence and token, as they were before the gradient. */
export interface Forward {
  readonly logprobs: number[][][];
  readonly entropies: number[][][];
  readonly values: number[][];
}

/** The same without a gradient, and which weights it is of. */
export interface VersionedForward extends Forward {
  readonly policyVersion: number;
}

export interface ForwardBackward extends Forward {
  readonly loss: number;
}

/** Which parameters learn: the stem that sees letters, everything but the encoder of screenshots, or all. */
export type Part = 'stem' | 'decoder' | 'all';

export interface OptimStep {
  readonly gradientNorm: number;
  readonly policyVersion: number;
}

/**
 * Where a model lives and learns. Gradients accumulate until `optimStep`. In the terms of the Tinker API, so that a loop
 * written for this interface can drive a distributed engine.
 */
export interface Engine {
  sample(requests: readonly SampleRequest[]): Promise<Sampled[]>;
  forward(data: readonly Datum[]): Promise<VersionedForward>;
  forwardBackward(request: ForwardBackwardRequest): Promise<ForwardBackward>;
  optimStep(options: { learningRate: number; part?: Part }): Promise<OptimStep>;
  /** Weights, optimiser and random state into one safetensors file. */
  save(path: string): Promise<void>;
  load(path: string, options?: { optimiser?: boolean }): Promise<{ policyVersion: number }>;
  close(): Promise<void>;
}
