import { GyreError, type Sample } from '@gyre/protocol';
import {
  type NativeAction,
  type NativeEngine,
  type NativeSampled,
  NativeTokenEngine,
  type Screenshot,
  type Vocabulary,
} from '@gyre/engine';
import { decodeSampled, nativeInput, NativeLanguage, type NativePast } from '../language/native.js';
import { pixels } from '../loop/pixels.js';
import type { Assignment, Policy } from './policy.js';
import { sampledPolicy, type SampledPolicyOptions } from './sampledPolicy.js';

export interface NativePolicyOptions extends Omit<SampledPolicyOptions, 'engine' | 'language'> {
  readonly engine: NativeEngine;
  /** Default: as trained. */
  readonly thinks?: boolean | undefined;
}

/** Plays one action per turn, also printed as T5. */
export function nativePolicy({ engine, thinks, ...options }: NativePolicyOptions): Policy {
  return sampledPolicy({
    ...options,
    engine: new NativeTokenEngine({ engine, pixels, thinks }),
    language: new NativeLanguage(),
  });
}

export async function decideNatively(request: {
  engine: NativeEngine;
  instruction: string;
  /** Default: the screen only. */
  surfaces?: Assignment['surfaces'];
  past: readonly NativePast[];
  screenshots: readonly Screenshot[];
  vocabulary: Vocabulary;
  temperature: number;
  topP: number;
  thinks?: boolean | undefined;
  /** 0..2^32 - 1. */
  seed: number;
  /** Default 0. */
  topLogprobs?: number;
}): Promise<{
  thought?: string;
  actions: NativeAction[];
  sample: Sample;
  promptTokens: number[];
  topLogprobs?: NativeSampled['topLogprobs'];
}> {
  const { engine, vocabulary, temperature, topP, thinks, seed, topLogprobs: top = 0 } = request;
  const input = nativeInput(vocabulary, request, request.past, request.screenshots);
  const [sampled] = await engine.sample([{ input, temperature, topP, thinks, seed, topLogprobs: top }]);
  if (!sampled) throw new GyreError('bug', 'the engine returned no sample for a request');
  const { topLogprobs, ...sample } = sampled;
  const { action, thought } = decodeSampled(vocabulary, sample.tokens);
  const promptTokens = input.tokens.map(({ token }) => token);
  return { ...(thought !== undefined && { thought }), actions: [action], sample, promptTokens, topLogprobs };
}
