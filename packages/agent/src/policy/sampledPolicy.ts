import { type Engine, type Piece, tokenIds } from '@gyre/engine';
import { GyreError, promptsOf, promptTokens, type PromptTokens } from '@gyre/protocol';
import type { Language } from '../language/language.js';
import type { Context, Policy } from './policy.js';

export interface SampledPolicyOptions {
  readonly name: string;
  readonly engine: Engine;
  readonly language: Language;
  /** 0 is greedy. Default 1. */
  readonly temperature?: number | undefined;
  /** Default 1. */
  readonly topP?: number | undefined;
  /** Default 1000. */
  readonly maxTokens?: number | undefined;
}

/**
 * Samples turns from an engine, with tokens for training. Concurrent episodes share inference batches. Throws
 * 'bad_input' if vocabularies differ.
 */
export function sampledPolicy(options: SampledPolicyOptions): Policy {
  const { name, engine, language, temperature = 1, topP = 1, maxTokens = 1000 } = options;
  const { model, vocabulary } = engine.traits;
  if (vocabulary !== language.vocabulary) {
    throw new GyreError('bad_input', `the model ${model} does not support the language ${language.name}`, {
      field: 'language',
      fix: `use a language with the vocabulary ${vocabulary}, not ${language.vocabulary}`,
    });
  }
  return {
    name,
    async decide(context) {
      const { screenshots, task, random, signal } = context;
      const input = await language.prompt(context);
      const seed = Math.floor(random() * 2 ** 32);
      const [sampled] = await engine.sample([
        { input, maxTokens, stop: language.stop, temperature, topP, seed, signal },
      ]);
      if (!sampled) throw new GyreError('bug', 'the engine returned no sample for a request');
      const { tokens, logprobs, policyVersion } = sampled;
      const decision = await language.parse(tokens, screenshots.at(-1)?.size ?? task.screen);
      const prompt = storedPrompt(input, context, language);
      return {
        ...decision,
        sample: { tokens, logprobs, policyVersion, model, vocabulary, ...(prompt && { prompt }) },
      };
    },
  };
}

/** Encodes a prompt relative to the turn before. */
function storedPrompt(
  input: readonly Piece[],
  { turns }: Pick<Context, 'turns'>,
  { pictureToken }: Language,
): PromptTokens | undefined {
  if (pictureToken === undefined) return undefined;
  const before = promptsOf({ turns }).at(-1);
  const tokens = turns.at(-1)?.sample?.tokens;
  return promptTokens(tokenIds(input, pictureToken), before && tokens && { prompt: before, tokens });
}
