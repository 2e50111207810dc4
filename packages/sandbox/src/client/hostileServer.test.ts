import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from './client.js';

const info = { id: 'a', kind: 'browser', state: 'leased', size: { width: 10, height: 10 } };

let replies: Record<string, string> = {};
let server: Server;
let client: SandboxClient;
beforeAll(async () => {
  server = createServer(({ method, url }, response) => {
    const reply = replies[`${method} ${url}`];
    response.statusCode = reply === undefined ? 404 : 200;
    response.end(reply ?? '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new SandboxClient({ url: `http://127.0.0.1:${port}`, token: 'any' });
});
afterAll(() => void server.close());

const lease = () => client.lease({ kind: 'browser' });

const tree = (depth: number): string => '{"children":['.repeat(depth) + ']}'.repeat(depth);

it.each([
  ['a field of another type', { ...info, size: { width: '10', height: 10 } }, 'size.width'],
  ['a missing field', { ...info, id: undefined }, 'id'],
  ['a state that there is not', { ...info, state: 'asleep' }, 'state'],
  ['another kind of session', { ...info, kind: 'desktop' }, 'kind'],
  ['no JSON', undefined, 'body'],
])('names the field of a reply with %s', async (_, reply, field) => {
  replies = { 'POST /v1/sessions': reply === undefined ? '<html>' : JSON.stringify(reply) };
  await expect(lease()).rejects.toMatchObject({ code: 'infra', detail: { part: 'remote', field } });
});

it('follows no link to another host', async () => {
  replies = {
    'POST /v1/sessions': JSON.stringify(info),
    'POST /v1/sessions/a/links': JSON.stringify({ path: 'http://elsewhere.test/' }),
  };
  await expect((await lease()).link(80)).rejects.toMatchObject({ code: 'infra', detail: { field: 'path' } });
});

it('survives a tree without end', async () => {
  replies = {
    'POST /v1/sessions': JSON.stringify({ ...info, kind: 'phone' }),
    'GET /v1/sessions/a': JSON.stringify({ ...info, kind: 'phone' }),
    'GET /v1/sessions/a/phone/tree': `[${tree(100_000)}]`,
  };
  const session = await client.lease({ kind: 'phone', serial: 'any' });
  await expect(session.phone.tree()).rejects.toMatchObject({ code: 'infra', detail: { part: 'remote' } });
  expect(session.state).toBe('leased');
});

it('names the field of an invalid event, and ignores an unknown one', async () => {
  const event = { type: 'pool.refilled', seq: 1, at: '2026-01-01T00:00:00Z', kind: 'browser', ready: 1 };
  const stream = (...events: unknown[]) => events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('');
  replies = { 'GET /v1/events': stream({ type: 'of.tomorrow' }, event, { ...event, ready: 'many' }) };
  const events = client.events();
  expect((await events.next()).value).toEqual(event);
  await expect(events.next()).rejects.toMatchObject({ code: 'infra', detail: { field: 'ready' } });
});

describe('a frame that does not arrive whole', () => {
  const begin = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 1_000 }).write('begun');

  it.each([
    ['is cut off', (response: ServerResponse) => begin(response) && setTimeout(() => response.destroy(), 50)],
    ['stops coming', begin],
  ])('%s: the session is lost', async (_, send) => {
    const partial = createServer(({ method }, response) => {
      if (method === 'POST') response.end(JSON.stringify(info));
      else send(response);
    });
    await new Promise<void>((resolve) => partial.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = partial.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      const session = await new SandboxClient({ url, token: 'any', timeoutMs: 1_000 }).lease({ kind: 'browser' });
      await expect(session.screen.observe()).rejects.toMatchObject({ code: 'infra', detail: { part: 'remote' } });
      expect(session.state).toBe('broken');
    } finally {
      partial.closeAllConnections();
      partial.close();
    }
  });
});
