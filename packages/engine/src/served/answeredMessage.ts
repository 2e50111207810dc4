import { z } from 'zod';

/** Ignores malformed fields: servers differ. */
export const maybe = <T extends z.ZodType>(shape: T) => shape.nullish().catch(undefined);

/** Text or, from Mistral and Anthropic, reasoning with nested parts. */
const Part = z.union([
  z.string(),
  z.object({
    text: maybe(z.string()),
    thinking: maybe(z.union([z.string(), z.array(z.object({ text: maybe(z.string()) }))])),
    refusal: maybe(z.string()),
  }),
]);

const Call = z.object({ name: z.string(), arguments: z.unknown() });

export const AnsweredMessage = z.object({
  content: maybe(z.union([z.string(), z.array(Part)])),
  /** vLLM and OpenRouter; an older name; Ollama. */
  reasoning: maybe(z.string()),
  reasoning_content: maybe(z.string()),
  thinking: maybe(z.string()),
  reasoning_details: maybe(z.array(z.object({ text: maybe(z.string()), summary: maybe(z.string()) }))),
  refusal: maybe(z.string()),
  tool_calls: maybe(z.array(z.object({ function: maybe(Call) }))),
  function_call: maybe(Call),
});
export type AnsweredMessage = z.infer<typeof AnsweredMessage>;

export interface AnsweredCall {
  readonly name: string;
  readonly arguments: string;
}

export function messageText({ content, refusal }: AnsweredMessage): string {
  const parts = typeof content === 'string' ? [content] : (content ?? []);
  const text = parts.map((part) => (typeof part === 'string' ? part : (part.text ?? part.refusal ?? ''))).join('');
  return text === '' ? (refusal ?? '') : text;
}

export function messageThought(spoken: AnsweredMessage): string {
  const { content, reasoning, reasoning_content: older, thinking, reasoning_details: details } = spoken;
  const inParts = (typeof content === 'string' ? [] : (content ?? [])).map((part) => {
    if (typeof part === 'string' || !part.thinking) return '';
    return typeof part.thinking === 'string' ? part.thinking : part.thinking.map(({ text }) => text ?? '').join('');
  });
  const detailed = (details ?? []).map(({ text, summary }) => text ?? summary ?? '');
  // OpenRouter sends it under two names.
  return [reasoning, older, thinking, detailed.join(''), inParts.join('')].find((text) => text) ?? '';
}

export function messageCalls({ tool_calls: calls, function_call: old }: AnsweredMessage): AnsweredCall[] {
  return [...(calls ?? []).map((call) => call.function), old].flatMap((call) => {
    if (!call) return [];
    const { arguments: callArguments = '' } = call;
    return [
      { name: call.name, arguments: typeof callArguments === 'string' ? callArguments : JSON.stringify(callArguments) },
    ];
  });
}
