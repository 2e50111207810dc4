import { type ChatMessage, ChatModel, type ChatModelOptions } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import type { z } from 'zod';

export const steps = ['explore', 'extract', 'compose', 'refine', 'verify'] as const;
export type Step = (typeof steps)[number];

/** A vision-language model that synthesises tasks. */
export interface SynthModel {
  readonly name: string;
  readonly recorded: boolean;
  complete(step: Step, messages: readonly ChatMessage[], signal?: AbortSignal): Promise<string>;
}

/** Throws `bad_input` for an invalid address. */
export function servedSynthModel(options: ChatModelOptions, seed: number): SynthModel {
  // Many servers refuse token ids, which only training needs.
  const model = new ChatModel({ temperature: 0.7, maxTokens: 6000, tokens: false, ...options });
  let requestCount = 0;
  return {
    name: options.model,
    recorded: false,
    complete: async (_, messages, signal) => (await model.complete(messages, seed + requestCount++, signal)).text,
  };
}

export type ParsedAnswer<T> = { readonly value: T } | { readonly malformed: string };

export interface Question<T> {
  readonly step: Step;
  readonly prompt: string;
  readonly text: string;
  /** PNGs. */
  readonly pictures?: readonly Uint8Array[] | undefined;
  readonly schema: z.ZodType<T>;
}

/** Asks for JSON; retries once with the defect. */
export async function ask<T>(
  model: SynthModel,
  { step, prompt, text, pictures = [], schema }: Question<T>,
  signal?: AbortSignal,
): Promise<ParsedAnswer<T>> {
  const images = pictures.map((png) => ({
    type: 'image_url' as const,
    image_url: { url: `data:image/png;base64,${Buffer.from(png).toString('base64')}` },
  }));
  const messages: ChatMessage[] = [
    { role: 'system', content: prompt },
    { role: 'user', content: [...images, { type: 'text', text }] },
  ];
  const answer = await model.complete(step, messages, signal);
  const read = readAnswer(answer, schema);
  if ('value' in read) return read;
  const mend = `That cannot be read: ${read.malformed}. Give the whole answer again, as JSON and nothing else.`;
  const again = [
    ...messages,
    { role: 'assistant' as const, content: answer },
    { role: 'user' as const, content: mend },
  ];
  return readAnswer(await model.complete(step, again, signal), schema);
}

/** Throws `bad_input` if the answer is malformed twice. */
export async function askFor<T>(model: SynthModel, question: Question<T>, signal?: AbortSignal): Promise<T> {
  const answered = await ask(model, question, signal);
  if ('value' in answered) return answered.value;
  throw new GyreError('bad_input', `${model.name} gave no valid answer to "${question.step}": ${answered.malformed}`, {
    field: 'model',
    fix: 'use a model that accepts images and writes JSON',
  });
}

/** Finds JSON after reasoning, in a fence or amid text. */
function readAnswer<T>(answer: string, schema: z.ZodType<T>): ParsedAnswer<T> {
  const reply = answer.replace(/^[\s\S]*<\/think>/, '');
  const json = reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1);
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    return { malformed: json === '' ? 'there is no JSON object in it' : (error as Error).message };
  }
  const read = schema.safeParse(parsed);
  if (read.success) return { value: read.data };
  const [issue] = read.error.issues;
  return { malformed: `${issue?.path.join('.') || 'the object'}: ${issue?.message}` };
}
