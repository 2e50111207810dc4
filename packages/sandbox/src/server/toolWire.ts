import { z } from 'zod';
import type { ToolContent, ToolResult } from '../tools/tool.js';

const positive = z.number().positive();
const record = z.record(z.string(), z.unknown());

/** What a tool server is started with, see `ToolServerTerms`. */
export const ToolServerRequest = z.strictObject({
  name: z.string().min(1),
  command: z.string().min(1),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  cwd: z.string().optional(),
  timeoutMs: positive.optional(),
});

export const ToolServerInfo = z.strictObject({ name: z.string() });

export const ToolServerParams = z.strictObject({ id: z.string(), server: z.string() });

export const ToolInfo = z.strictObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: record,
  outputSchema: record.optional(),
});

export const ToolCallRequest = z.strictObject({
  tool: z.string(),
  args: record.optional(),
  timeoutMs: positive.optional(),
  maxOutput: positive.optional(),
});

const base64 = z.base64();
const WireContent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.enum(['image', 'audio']), mimeType: z.string(), base64 }),
  z.strictObject({
    type: z.literal('resource'),
    uri: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    base64: base64.optional(),
  }),
]);

/** What came of a call, see `ToolResult`. */
export const ToolReply = z.strictObject({
  content: z.array(WireContent),
  structured: record.optional(),
  failed: z.boolean(),
  leftOut: z.number(),
});
export type ToolReply = z.infer<typeof ToolReply>;

/** A result as JSON carries it. */
export function toWire({ content, structured, ...rest }: ToolResult): ToolReply {
  return { ...rest, ...(structured && { structured }), content: content.map(partToWire) };
}

/** The result that `toWire` was given. */
export function fromWire({ content, structured, ...rest }: ToolReply): ToolResult {
  return { ...rest, ...(structured && { structured }), content: content.map(partFromWire) };
}

function partToWire(part: ToolContent): ToolReply['content'][number] {
  if (part.type === 'text') return part;
  if (part.type === 'resource') {
    const { bytes, ...rest } = part;
    return { ...rest, ...(bytes && { base64: Buffer.from(bytes).toString('base64') }) };
  }
  const { bytes, ...rest } = part;
  return { ...rest, base64: Buffer.from(bytes).toString('base64') };
}

function partFromWire(part: ToolReply['content'][number]): ToolContent {
  if (part.type === 'text') return part;
  if (part.type === 'resource') {
    const { base64, ...rest } = part;
    return { ...rest, ...(base64 !== undefined && { bytes: Buffer.from(base64, 'base64') }) };
  }
  const { base64, ...rest } = part;
  return { ...rest, bytes: Buffer.from(base64, 'base64') };
}
