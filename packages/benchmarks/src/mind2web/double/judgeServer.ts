import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A double of a judge's server, which answers every chat with the next of `contents`, and then with the last. */
export async function judgeServer(...contents: (string | null)[]) {
  const requests: { readonly authorization?: string | undefined; readonly body: { model: string } }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const content = contents[Math.min(requests.length, contents.length - 1)];
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { model: string };
      requests.push({ authorization: request.headers.authorization, body });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, requests, close: () => void server.close() };
}
