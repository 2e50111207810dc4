import type { ToolServer, ToolServerTerms } from '../tools/tool.js';
import { fromWire, tools as routes } from '../wire/tools.js';
import type { SessionLink } from './sessionLink.js';

export interface ClientTools {
  servers(): Promise<ToolServer[]>;
  /** Calls throw if there is none. */
  server(name: string): ToolServer;
  start(terms: ToolServerTerms): Promise<ToolServer>;
}

export function clientTools({ id, call }: SessionLink): ClientTools {
  const server = (name: string): ToolServer => {
    const params = { id, server: name };
    return {
      name,
      list: () => call(routes.list, { params }),
      call: async (tool, args, options) =>
        fromWire(await call(routes.call, { params, body: { tool, args, ...options } })),
      close: () => call(routes.stop, { params }),
    };
  };
  const params = { id };
  return {
    server,
    servers: async () => (await call(routes.servers, { params })).map(({ name }) => server(name)),
    start: async ({ args, ...terms }) =>
      server((await call(routes.start, { params, body: { ...terms, args: args && [...args] } })).name),
  };
}
