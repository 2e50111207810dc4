import { sampledTokens, AnsweredMessage, messageText, messageThought, type AnswerWithTokens } from '@gyre/engine';
import type { Sample, SampledAfter } from '@gyre/protocol';
import { z } from 'zod';
import { sampleOf } from '../policy/endpoint/endpointPolicy.js';
import type { ChatRequest } from './chatRequest.js';

/** Chunks send the name first, then pieces of the arguments. */
const Call = z.looseObject({
  index: z.int().min(0).max(127).optional(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});
type Call = z.infer<typeof Call>;

const Said = AnsweredMessage.extend({ tool_calls: z.array(Call).nullish().catch(undefined) });

const Piece = z.object({
  model: z.string().nullish(),
  system_fingerprint: z.string().nullish(),
  prompt_token_ids: z.array(z.int()).nullish(),
  choices: z.array(
    z.object({
      message: Said.nullish(),
      delta: Said.nullish(),
      finish_reason: z.string().nullish(),
      token_ids: z.array(z.int()).nullish(),
      logprobs: z
        .object({ content: z.array(z.object({ logprob: z.number() })).nullish() })
        .nullish()
        .catch(undefined),
    }),
  ),
});

export const requestAdditions = { logprobs: true, return_token_ids: true } as const;

/** Removes fields that the agent did not request. */
export function withoutAdditions(body: unknown, { logprobs, return_token_ids: ids }: ChatRequest): unknown {
  if (typeof body !== 'object' || body === null || (logprobs && ids)) return body;
  const { prompt_token_ids: prompt, ...rest } = body as Record<string, unknown>;
  const { choices } = rest;
  return {
    ...rest,
    ...(ids && prompt !== undefined && { prompt_token_ids: prompt }),
    ...(Array.isArray(choices) && {
      choices: choices.map((choice: Record<string, unknown>) => {
        const { token_ids: tokens, ...fields } = choice;
        return {
          ...fields,
          // The API's value for absent logprobs.
          ...(!logprobs && 'logprobs' in fields && { logprobs: null }),
          ...(ids && tokens !== undefined && { token_ids: tokens }),
        };
      }),
    }),
  };
}

export class ChatAnswer {
  #content = '';
  #reasoning = '';
  readonly #calls: Call[] = [];
  readonly #tokens: number[] = [];
  readonly #logprobs: { logprob: number }[] = [];
  #fingerprint: string | undefined;
  #prompt: readonly number[] | undefined;
  model: string | undefined;
  whole = false;

  /** Ignores anything but completions. */
  add(body: unknown): void {
    const parsed = Piece.safeParse(body);
    const [choice] = parsed.data?.choices ?? [];
    if (!parsed.success) return;
    this.model ??= parsed.data.model ?? undefined;
    this.#fingerprint ??= parsed.data.system_fingerprint ?? undefined;
    this.#prompt ??= parsed.data.prompt_token_ids ?? undefined;
    if (!choice) return;
    const piece = choice.message ?? choice.delta;
    if (piece) {
      const spoken = { ...piece, tool_calls: undefined };
      this.#content += messageText(spoken);
      this.#reasoning += messageThought(spoken);
      for (const call of piece.tool_calls ?? []) this.#join(call);
    }
    this.#tokens.push(...(choice.token_ids ?? []));
    this.#logprobs.push(...(choice.logprobs?.content ?? []));
    this.whole ||= typeof choice.finish_reason === 'string';
  }

  get message(): { role: string; content: { type: 'text'; text: string }[]; tool_calls?: unknown } {
    const content = [{ type: 'text' as const, text: this.#content }];
    return { role: 'assistant', content, ...(this.#calls.length > 0 && { tool_calls: this.#calls }) };
  }

  get thought(): string | undefined {
    return this.#reasoning === '' ? undefined : this.#reasoning;
  }

  get prompt(): readonly number[] | undefined {
    return this.#prompt;
  }

  /** Returns the sample, if the server sent one, with the prompt's tokens since the call `before`. */
  sample(model: string, before: SampledAfter | undefined): Sample | undefined {
    const answer: AnswerWithTokens = {
      prompt_token_ids: this.#prompt,
      system_fingerprint: this.#fingerprint,
      choices: [
        {
          ...(this.#tokens.length > 0 && { token_ids: this.#tokens }),
          logprobs: { content: this.#logprobs },
        },
      ],
    };
    const { vocabulary, ...sampled } = sampledTokens(answer);
    return sampleOf(sampled, { model, vocabulary }, before);
  }

  #join({ index = this.#calls.length, ...piece }: Call): void {
    const before = this.#calls[index];
    const joined = (field: 'name' | 'arguments') => (before?.function?.[field] ?? '') + (piece.function?.[field] ?? '');
    const called = { name: joined('name'), arguments: joined('arguments') };
    this.#calls[index] = { ...before, ...piece, function: called };
  }
}
