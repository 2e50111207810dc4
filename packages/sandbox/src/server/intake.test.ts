import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorReply } from './failures.js';
import { enforceIntakeLimits } from './intake.js';

let app: FastifyInstance;
let url: string;
let release: () => void;
beforeEach(async () => {
  app = Fastify({ bodyLimit: 2 ** 20, forceCloseConnections: true });
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = errorReply(error);
    return reply.status(status).send(body);
  });
  enforceIntakeLimits(app, ({ headers }) => headers.authorization ?? '', {
    requestsPerToken: 2,
    bodyBytesPerToken: 500_000,
    bodyBytes: 800_000,
  });
  const released = new Promise<void>((resolve) => (release = resolve));
  app.post('/', (request) => request.body);
  app.post('/held', async () => {
    await released;
    return 'done';
  });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => app.close());

async function post(path: string, body: string, who = 'me'): Promise<number> {
  const headers = { authorization: who, 'content-type': 'application/json' };
  return (await fetch(url + path, { method: 'POST', headers, body })).status;
}
const text = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));

async function promise(bytes: number, who: string): Promise<() => void> {
  const headers = { authorization: who, 'content-type': 'application/json', 'content-length': bytes };
  const request = httpRequest(`${url}/`, { method: 'POST', headers }).on('error', () => undefined);
  request.write('"');
  await once(request, 'socket');
  await new Promise((resolve) => setTimeout(resolve, 100));
  return () => void request.destroy();
}

describe('the requests in progress of a token', () => {
  it('are limited in number for each token', async () => {
    const pending = [post('/held', '1'), post('/held', '1')];
    await expect.poll(() => post('/', '1')).toBe(429);
    expect(await post('/', '1', 'another')).toBe(200);
    release();
    expect(await Promise.all(pending)).toEqual([200, 200]);
    await expect.poll(() => post('/', '1')).toBe(200);
  });

  it('are limited in bytes, for each token and in total', async () => {
    const leave = await promise(400_000, 'me');
    expect(await post('/', text(200_000))).toBe(429);
    expect(await post('/', text(300_000), 'another')).toBe(200);
    expect(await post('/', text(450_000), 'another')).toBe(429);
    expect(await post('/', '"small"')).toBe(200);
    leave();
    await expect.poll(() => post('/', text(200_000))).toBe(200);
  });

  it('are limited by the body size of a route, however the length is declared', async () => {
    expect(await post('/', text(2 ** 20 + 1))).toBe(413);
    const body = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 20; part++) controller.enqueue(new TextEncoder().encode('"'.padEnd(100_000, 'x')));
        controller.close();
      },
    });
    const headers = { authorization: 'chunked', 'content-type': 'application/json' };
    const sent = fetch(url, { method: 'POST', headers, body, duplex: 'half' }).then(
      ({ status }) => status,
      // May close before everything is sent.
      () => 413,
    );
    expect([413, 429]).toContain(await sent);
  });
});
