import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CompatAnswer, CompatHandler, CompatRequest } from '../served/request.js';

/** No reply, a disconnect before it, or one in the middle. */
export type InjectedFault = 'hang' | 'drop' | 'cut';

export interface Host {
  readonly url: string;
  /** Method and path of every request. */
  readonly requests: string[];
  /** Decides per request: failure, replacement answer, or undefined to proceed. */
  injectFault: (request: CompatRequest) => InjectedFault | CompatAnswer | undefined;
  close(): Promise<void>;
}

export async function startHost(handler: CompatHandler): Promise<Host> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => void answer());

    async function answer(): Promise<void> {
      const url = new URL(request.url!, 'http://host');
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const query = Object.fromEntries(url.searchParams);
      const incoming = { method: request.method!, path: url.pathname, query, headers, body: Buffer.concat(chunks) };
      hosted.requests.push(`${incoming.method} ${incoming.path}`);
      const meddled = hosted.injectFault(incoming);
      if (meddled === 'hang') return;
      if (meddled === 'drop') {
        request.socket.destroy();
        return;
      }
      const reply = meddled === undefined || meddled === 'cut' ? await handler(incoming) : meddled;
      if (meddled === 'cut') {
        response.writeHead(reply.status, { ...reply.headers, 'content-length': String(reply.body.length + 10) });
        response.write(reply.body, () => request.socket.destroy());
        return;
      }
      response.writeHead(reply.status, reply.headers);
      response.end(reply.body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hosted: Host = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    injectFault: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return hosted;
}
