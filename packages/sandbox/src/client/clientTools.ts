import { z } from 'zod';
import { fromWire, ToolInfo, ToolReply, ToolServerInfo } from '../server/toolWire.js';
import type { ToolServer, ToolServerTerms } from '../tools/tool.js';

/** Tool servers of a session elsewhere. */
export interface ClientTools {
  /** Those that run. */
  servers(): Promise<ToolServer[]>;
  /** One that was started; that there is none is said when it is asked. */
  server(name: string): ToolServer;
  start(terms: ToolServerTerms): Promise<ToolServer>;
}

/** Requests below the address of a session. */
export interface SessionLink {
  json<T extends z.ZodType>(method: string, rest: string, reply: T, body?: unknown): Promise<z.infer<T>>;
  send(method: string, rest: string, body?: unknown): Promise<Response>;
}

/** Tools by way of a server: each throws what the server throws. */
export function clientTools(link: SessionLink): ClientTools {
  const server = (name: string): ToolServer => {
    const path = `/tools/${encodeURIComponent(name)}`;
    return {
      name,
      list: () => link.json('GET', path, z.array(ToolInfo)),
      call: async (tool, args, options) =>
        fromWire(await link.json('POST', `${path}/call`, ToolReply, { tool, args, ...options })),
      close: async () => {
        await link.send('DELETE', path);
      },
    };
  };
  return {
    server,
    servers: async () => (await link.json('GET', '/tools', z.array(ToolServerInfo))).map(({ name }) => server(name)),
    start: async (terms) => server((await link.json('POST', '/tools', ToolServerInfo, terms)).name),
  };
}
