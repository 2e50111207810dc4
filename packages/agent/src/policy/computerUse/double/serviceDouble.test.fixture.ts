import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Json = Record<string, unknown>;

export type ServiceAnswer = { readonly body: Json } | { readonly status: number; readonly body: Json };

export interface Served {
  readonly body: Json;
  readonly headers: IncomingHttpHeaders;
}

export async function serviceDouble(
  route: string,
  answer: (served: Served, number: number) => ServiceAnswer,
): Promise<{ url: string; requests: Served[]; close(): Promise<void> }> {
  const requests: Served[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const served = { body: JSON.parse(await textOf(request)) as Json, headers: request.headers };
      const { method, url = '' } = request;
      const matches = method === 'POST' && url === route;
      const number = matches ? requests.push(served) - 1 : -1;
      const reply = matches ? answer(served, number) : { status: 404, body: { error: { message: `no ${url}` } } };
      response.writeHead('status' in reply ? reply.status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply.body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
