import { once } from 'node:events';
import { createServer } from 'node:http';

const loadPath = '/skyrl/v1/load_lora_adapter';

/**
 * Serves a stock vLLM as SkyRL's fsdp backend needs it: SkyRL's own route for adapters becomes vLLM's, which replaces an
 * adapter of the same name.
 *
 * @param updates whether adapters are loaded; false plants a sampler that is never updated
 */
export async function startProxy(target, { updates = () => true } = {}) {
  const server = createServer((request, response) => {
    forward(request, target, updates).then(
      ({ status, type, body }) =>
        response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body),
      (error) => response.writeHead(502).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

async function forward(request, target, updates) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const sent = Buffer.concat(parts);
  const isLoad = request.url.startsWith(loadPath);
  if (isLoad && !updates()) return { status: 200, type: 'text/plain', body: Buffer.from('not loaded') };
  const body = isLoad ? JSON.stringify({ ...JSON.parse(sent), load_inplace: true }) : sent;
  const answer = await fetch(target + (isLoad ? '/v1/load_lora_adapter' : request.url), {
    method: request.method,
    headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
    ...(body.length > 0 && request.method !== 'GET' && { body }),
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? 'application/json',
    body: Buffer.from(await answer.arrayBuffer()),
  };
}
