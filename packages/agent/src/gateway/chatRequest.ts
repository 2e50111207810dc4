import { createHash } from 'node:crypto';
import { type Frame, frameOf } from '@gyre/sandbox';
import sharp from 'sharp';
import { z } from 'zod';
import { imageBytes } from '../policy/endpoint/dataUrl.js';
import { placeholderFrame } from './placeholderFrame.js';

const Part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
  // Audio, files and others.
  z.object({ type: z.string() }).transform(() => ({ type: 'other' as const })),
]);

const Message = z.object({
  role: z.string(),
  content: z
    .union([z.string().transform((text) => [{ type: 'text' as const, text }]), z.array(Part)])
    .nullish()
    .transform((content) => content ?? []),
  tool_calls: z.unknown().optional(),
});
export type Message = z.infer<typeof Message>;

/** Unlisted fields pass through unread. */
export const ChatRequest = z.object({
  model: z.string().optional().catch(undefined),
  messages: z.array(Message).catch([]),
  stream: z.boolean().nullish().catch(undefined),
  n: z.number().nullish().catch(undefined),
  seed: z.int().nonnegative().nullish().catch(undefined),
  logprobs: z.boolean().nullish().catch(undefined),
  return_token_ids: z.boolean().nullish().catch(undefined),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export function textOf({ content, tool_calls: calls }: Message): string {
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return [text.trim(), ...(Array.isArray(calls) ? calls.map(callText) : [])].filter((piece) => piece !== '').join('\n');
}

const ToolCall = z.object({ function: z.object({ name: z.string(), arguments: z.string() }) });

function callText(call: unknown): string {
  const parsed = ToolCall.safeParse(call);
  return parsed.success ? `${parsed.data.function.name}(${parsed.data.function.arguments})` : JSON.stringify(call);
}

export function instructionOf(messages: readonly Message[]): string | undefined {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => textOf({ ...message, tool_calls: [] }));
  return texts.find((text) => text !== '');
}

/**
 * Returns one mark per answer for the conversation so far, oldest first. Uses texts only, since agents drop old images.
 */
export function answerMarks(messages: readonly Message[]): string[] {
  const hash = createHash('sha256');
  return messages.flatMap((message) => {
    const text = textOf(message);
    if (text === '') return [];
    hash.update(JSON.stringify([message.role, text]));
    return message.role === 'assistant' ? [hash.copy().digest('hex')] : [];
  });
}

/**
 * Returns the newest image as PNG, else `placeholderFrame` with the reason in `missing`. Never fetches URLs: the content may
 * have changed.
 */
export async function pictureOf(messages: readonly Message[]): Promise<{ frame: Frame; missing?: string }> {
  const parts = messages.flatMap(({ content }) => content);
  const last = parts.findLast((part) => part.type === 'image_url');
  if (!last) return { frame: placeholderFrame };
  const { url } = last.image_url;
  const bytes = imageBytes(url);
  if (!bytes)
    return {
      frame: placeholderFrame,
      missing: `an image is not embedded, and URLs are never fetched: ${url.slice(0, 100)}`,
    };
  try {
    const image = sharp(bytes);
    const { format } = await image.metadata();
    // Decode even a stored PNG, to detect truncation.
    const { data, info } = await image.png().toBuffer({ resolveWithObject: true });
    return { frame: frameOf(format === 'png' ? bytes : data, { width: info.width, height: info.height }) };
  } catch (error) {
    return { frame: placeholderFrame, missing: `cannot decode an image: ${(error as Error).message}` };
  }
}
