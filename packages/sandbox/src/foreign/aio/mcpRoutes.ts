import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { jsonFields } from '../served/request.js';
import { done, missing, Unsuccessful, type Routes } from './route.js';

const serverName = 'gyre';

/** Serves the session as `gyre serve mcp` does. */
export function mcpRoutes(
  offered: (() => Promise<McpServer>) | undefined,
  onClose: (work: () => Promise<void>) => void,
): Routes {
  let connected: Promise<Client> | undefined;
  onClose(async () => {
    await (await connected?.catch(() => undefined))?.close();
  });

  return {
    'GET /v1/mcp/servers': () => done(offered === undefined ? [] : [serverName]),
    'GET /v1/mcp/:server/tools': async (_, { server = '' }) => done(await (await client(server)).listTools()),
    'POST /v1/mcp/:server/tools/:tool': async (request, { server = '', tool = '' }) => {
      const args = await jsonFields(request);
      return done(await (await client(server)).callTool({ name: tool, arguments: args }));
    },
  };

  function client(server: string): Promise<Client> {
    if (server !== serverName)
      throw new Unsuccessful(`there is no MCP server ${JSON.stringify(server)}: the only server is ${serverName}`);
    return (connected ??= connect());
  }

  async function connect(): Promise<Client> {
    // Slow to load; see `Tools`.
    const [{ Client: McpClient }, { InMemoryTransport }, server] = await Promise.all([
      import('@modelcontextprotocol/sdk/client/index.js'),
      import('@modelcontextprotocol/sdk/inMemory.js'),
      (offered ?? missing('tools'))(),
    ]);
    const [here, there] = InMemoryTransport.createLinkedPair();
    const connecting = new McpClient({ name: 'aio', version: '1' });
    await server.connect(there);
    await connecting.connect(here);
    return connecting;
  }
}
