import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Rpc = (method: string, params: Record<string, unknown>) => unknown;

/** Thrown by a double's code, as by a benchmark's. */
export class DoubleFault extends Error {}

async function serve(rpc: Rpc): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const {
        method,
        params = {},
        id = null,
      } = JSON.parse(text) as { method?: string; params?: Record<string, unknown>; id?: number };
      response.setHeader('content-type', 'application/json');
      const answer = (body: object) => response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
      if (method === undefined) return answer({ error: { code: -32600, message: 'Invalid Request' } });
      try {
        answer({ result: rpc(method, params) ?? null });
      } catch (error) {
        answer({ error: { code: -32603, message: (error as Error).message } });
      }
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

export interface CubeDoubleOptions {
  /** Contents of the observation after a reset and every step. */
  readonly contents?: readonly object[];
  /** Fails in this method. */
  readonly fails?: string;
}

/** A double of a CUBE benchmark: its task is to count to three by the tool `increment`. */
export class CubeServerDouble {
  readonly url: string;
  /** Methods called at task servers. */
  readonly calls: string[] = [];
  readonly #servers: Server[] = [];

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start({ contents, fails }: CubeDoubleOptions = {}): Promise<CubeServerDouble> {
    const config = { metadata: { id: 'count-to-3', solution: 'secret' }, _type: 'double.Config' };
    const ports: number[] = [];
    // Spawning is synchronous in the standard: servers are started ahead.
    const started = await Promise.all(
      Array.from({ length: 4 }, () => {
        let count = 0;
        const text = (data: string) => ({
          contents: contents ?? [{ name: null, data, _type: 'cube.core.TextContent' }],
        });
        return serve((method, { name }) => {
          double.calls.push(method === 'cube/step' ? `${method} ${String(name)}` : method);
          if (method === fails) throw new DoubleFault('the container is gone');
          switch (method) {
            case 'tools/list':
              return ['increment', 'final_step'].map((tool) => ({
                name: tool,
                description: `${tool}s`,
                parameters: { type: 'object' },
              }));
            case 'cube/reset':
              count = 0;
              return { obs: text('Count to 3.'), info: { expected: 'secret' } };
            case 'cube/step':
              if (name === 'increment') count++;
              return {
                ...{
                  obs: text(`count: ${count}`),
                  reward: count === 3 ? 1 : 0,
                  done: name === 'final_step' || count === 3,
                },
                info: { expected: 'secret' },
              };
            case 'cube/evaluate':
              return { reward: count === 3 ? 1 : 0, info: { expected: 'secret' } };
            default:
              return null;
          }
        });
      }),
    );
    ports.push(...started.map(({ port }) => port));
    const benchmark = await serve((method, params) => {
      if (method === fails) throw new DoubleFault('the benchmark is gone');
      if (method === 'cube/info') return { name: 'count-cube', version: '1.0', num_tasks: 1 };
      if (method === 'cube/tasks') return [{ id: 'count-to-3', recommended_max_steps: 5 }];
      if (method === 'cube/task_configs') return [config];
      if (method !== 'cube/spawn') throw new DoubleFault(`Method not found: ${method}`);
      if (JSON.stringify(params.task_config) !== JSON.stringify(config)) throw new DoubleFault('another config');
      // Of another host: clients take the port alone.
      return `http://192.0.2.1:${ports.shift()}`;
    });
    const double = new CubeServerDouble(benchmark.port);
    double.#servers.push(benchmark.server, ...started.map(({ server }) => server));
    return double;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#servers.map((server) => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
      }),
    );
  }
}
