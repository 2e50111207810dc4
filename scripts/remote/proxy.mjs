import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

const loadPath = '/skyrl/v1/load_lora_adapter';
const renderPath = '/v1/chat/completions/render';

/** In bytes. */
const maxRendered = 3e8;

/**
 * Serves a stock vLLM as SkyRL's fsdp backend needs it: for SkyRL's own route, an adapter is unloaded and loaded. With
 * `load_inplace`, vLLM 0.30 would read it from disk again at every step. SkyRL has vLLM render each picture again in each pass: answers are kept. With a model of 2 million
 * parameters on a CPU, an update of 638 decisions in two passes took 163 s instead of 188.
 *
 * @param updates whether adapters are loaded; false plants a sampler that is never updated
 * @param knowsRoute whether SkyRL's route is vLLM's; false plants a stock vLLM
 */
export async function startProxy(target, { updates = () => true, knowsRoute = () => true } = {}) {
  const rendered = new RenderedAnswers();
  const loads = { last: Promise.resolve() };
  const server = createServer((request, response) => {
    forward(request, target, { updates, knowsRoute, rendered, loads }).then(
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

/** The answers to renderings; those not used for longest are dropped. */
class RenderedAnswers {
  #answers = new Map();
  #size = 0;

  get(key) {
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    this.#answers.delete(key);
    this.#answers.set(key, answer);
    return answer;
  }

  set(key, answer) {
    // Keeps one answer of two equal requests at once.
    if (this.#answers.has(key)) return;
    this.#answers.set(key, answer);
    this.#size += answer.body.length;
    for (const [oldest, { body }] of this.#answers) {
      if (this.#size <= maxRendered) return;
      this.#answers.delete(oldest);
      this.#size -= body.length;
    }
  }
}

async function forward(request, target, { updates, knowsRoute, rendered, loads }) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const sent = Buffer.concat(parts);
  if (request.url.startsWith(loadPath) && knowsRoute()) {
    if (!updates()) return { status: 200, type: 'text/plain', body: Buffer.from('not loaded') };
    const load = loads.last.then(() => reload(target, sent));
    loads.last = load.catch(() => undefined);
    return load;
  }
  // Until then vLLM does not know the adapter.
  await loads.last;
  const key = request.url === renderPath ? createHash('sha256').update(sent).digest('hex') : undefined;
  const known = rendered.get(key);
  if (known) return known;
  const type = request.headers['content-type'];
  const result = await send(target + request.url, request.method, { sent, type });
  if (key !== undefined && result.status === 200) rendered.set(key, result);
  return result;
}

/** Replaces an adapter of the same name. Requests under way keep theirs. */
async function reload(target, sent) {
  await send(`${target}/v1/unload_lora_adapter`, 'POST', { sent });
  return send(`${target}/v1/load_lora_adapter`, 'POST', { sent });
}

async function send(url, method, { sent, type = 'application/json' }) {
  const body = sent.length > 0 && method !== 'GET' ? { body: sent } : {};
  const answer = await fetch(url, { method, headers: { 'content-type': type }, ...body });
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? 'application/json',
    body: Buffer.from(await answer.arrayBuffer()),
  };
}
