import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface JudgeAnswer {
  readonly status: number;
  readonly body: string;
}

export async function judgeDouble({
  status,
  body,
}: JudgeAnswer): Promise<{ url: string; requests: number; close(): void }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url?.endsWith('/models')) return void response.end('{"object":"list","data":[{"id":"judge"}]}');
    double.requests++;
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const double = { url: `http://127.0.0.1:${port}/v1`, requests: 0, close };
  return double;
}
