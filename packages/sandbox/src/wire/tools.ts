import { z } from 'zod';
import { maxMessage, type ToolContent, type ToolResult } from '../tools/tool.js';
import { route } from './route.js';
import { SessionParams } from './session.js';

const positive = z.number().positive();
const record = z.record(z.string(), z.unknown());
const base64 = z.base64();

const ToolServerInfo = z.strictObject({ name: z.string() });

const ToolInfo = z.strictObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: record,
  outputSchema: record.optional(),
});

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

/** See `ToolResult`. */
export const ToolReply = z.strictObject({
  content: z.array(WireContent),
  structured: record.optional(),
  failed: z.boolean(),
  leftOut: z.number(),
});
export type ToolReply = z.infer<typeof ToolReply>;

const params = z.strictObject({ id: z.string(), server: z.string() });

export const tools = {
  start: route({
    method: 'POST',
    path: '/v1/sessions/:id/tools',
    scope: 'operate',
    summary: 'Starts an MCP server inside the session',
    params: SessionParams,
    /** See `ToolServerTerms`. */
    body: z.strictObject({
      name: z.string().min(1),
      command: z.string().min(1),
      args: z.array(z.string()).optional(),
      env: z.record(z.string(), z.string()).optional(),
      cwd: z.string().optional(),
      timeoutMs: positive.optional(),
    }),
    reply: ToolServerInfo,
    status: 201,
  }),
  servers: route({
    method: 'GET',
    path: '/v1/sessions/:id/tools',
    scope: 'operate',
    summary: 'Lists the MCP servers that run in the session',
    params: SessionParams,
    reply: z.array(ToolServerInfo),
  }),
  list: route({
    method: 'GET',
    path: '/v1/sessions/:id/tools/:server',
    scope: 'operate',
    summary: 'Lists the tools of an MCP server',
    params,
    reply: z.array(ToolInfo),
  }),
  call: route({
    method: 'POST',
    path: '/v1/sessions/:id/tools/:server/call',
    scope: 'operate',
    summary: 'Calls a tool',
    params,
    body: z.strictObject({
      tool: z.string(),
      args: record.optional(),
      timeoutMs: positive.optional(),
      maxOutput: positive.optional(),
    }),
    bodyLimit: maxMessage,
    reply: ToolReply,
  }),
  stop: route({
    method: 'DELETE',
    path: '/v1/sessions/:id/tools/:server',
    scope: 'operate',
    summary: 'Stops an MCP server',
    params,
  }),
};

export function toWire({ content, structured, ...rest }: ToolResult): ToolReply {
  return { ...rest, structured, content: content.map(partToWire) };
}

export function fromWire({ content, structured, ...rest }: ToolReply): ToolResult {
  return { ...rest, structured, content: content.map(partFromWire) };
}

function partToWire(part: ToolContent): ToolReply['content'][number] {
  if (part.type === 'text') return part;
  if (part.type === 'resource') {
    const { bytes, ...rest } = part;
    return { ...rest, base64: bytes && Buffer.from(bytes).toString('base64') };
  }
  const { bytes, ...rest } = part;
  return { ...rest, base64: Buffer.from(bytes).toString('base64') };
}

function partFromWire(part: ToolReply['content'][number]): ToolContent {
  if (part.type === 'text') return part;
  if (part.type === 'resource') {
    const { base64, ...rest } = part;
    return { ...rest, bytes: base64 === undefined ? undefined : Buffer.from(base64, 'base64') };
  }
  const { base64, ...rest } = part;
  return { ...rest, bytes: Buffer.from(base64, 'base64') };
}
