import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const [admin, mine, theirs, watcher] = [
  AccessTokens.random(),
  AccessTokens.random(),
  AccessTokens.random(),
  AccessTokens.random(),
];
const size = { width: 160, height: 120 };

let sandbox: Sandbox;
let server: SandboxServer;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({
    sandbox,
    tokens: [
      { token: admin, scope: 'admin' },
      { token: mine, scope: 'operate' },
      { token: theirs, scope: 'operate' },
      { token: watcher, scope: 'watch' },
    ],
    maxSessions: 2,
  });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

async function ask(token: string, method: string, path: string, body?: unknown): Promise<Response> {
  const bytes = body instanceof Uint8Array;
  return fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
    },
    body: body === undefined ? undefined : bytes ? new Uint8Array(body) : JSON.stringify(body),
  });
}

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  return { status: response.status, ...((await response.json()) as { error: Record<string, unknown> }).error };
}

describe('a session over HTTP', () => {
  let id: string;
  beforeAll(async () => {
    const leased = await ask(mine, 'POST', '/v1/sessions', { kind: 'browser', size, clock: 'free' });
    expect(leased.status).toBe(201);
    const session = (await leased.json()) as { id: string };
    expect(session).toMatchObject({ kind: 'browser', state: 'leased', size });
    ({ id } = session);
  });
  afterAll(async () => {
    expect((await ask(mine, 'DELETE', `/v1/sessions/${id}`)).status).toBe(204);
    expect((await ask(mine, 'GET', `/v1/sessions/${id}`)).status).toBe(404);
    expect(sandbox.sessions).toEqual([]);
  });

  it('returns notices once', async () => {
    const noticesOf = async (path: string, body: object) => {
      const response = await ask(mine, 'POST', `/v1/sessions/${id}${path}`, body);
      expect(response.status).toBe(200);
      return ((await response.json()) as { notices: string[] }).notices;
    };
    const url = 'http://127.0.0.1:9/';
    expect(await noticesOf('/browser/navigate', { url })).toEqual([expect.stringContaining('net::ERR_')]);
    expect(await noticesOf('/act', { actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] })).toEqual([]);
    expect(await noticesOf('/act', { actions: [{ type: 'navigate', url }] })).toEqual([
      expect.stringContaining('net::ERR_'),
    ]);
  });

  it('acts and observes', async () => {
    const page = 'data:text/html,<body style="background:white"><input autofocus style="font-size:30px">';
    expect((await ask(mine, 'POST', `/v1/sessions/${id}/browser/navigate`, { url: page })).status).toBe(200);
    const before = await ask(mine, 'GET', `/v1/sessions/${id}/frame`);
    expect(before.headers.get('content-type')).toBe('image/png');
    const acted = await ask(mine, 'POST', `/v1/sessions/${id}/act`, { actions: [{ type: 'type', text: 'hello' }] });
    expect(acted.status).toBe(200);
    const after = await ask(mine, 'GET', `/v1/sessions/${id}/frame`);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(new Uint8Array(await after.arrayBuffer()).slice(1, 4)).toEqual(Uint8Array.from(Buffer.from('PNG')));
  });

  it('runs commands and keeps files', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
    expect((await ask(mine, 'PUT', `/v1/sessions/${id}/file?path=in/data.bin`, bytes)).status).toBe(204);
    const run = await ask(mine, 'POST', `/v1/sessions/${id}/run`, { command: 'wc -c < in/data.bin; exit 3' });
    expect(await run.json()).toMatchObject({ exitCode: 3, stdout: '100000\n', timedOut: false });
    const read = await ask(mine, 'GET', `/v1/sessions/${id}/file?path=in/data.bin`);
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(bytes);
    const listed = await ask(mine, 'GET', `/v1/sessions/${id}/files?path=in`);
    expect(await listed.json()).toMatchObject({ entries: [{ path: 'in/data.bin', type: 'file', size: 100_000 }] });
  });

  it('streams each change to watchers', async () => {
    const address = server.url.replace('http', 'ws');
    const socket = new WebSocket(`${address}/v1/sessions/${id}/frames?perSecond=30`, {
      headers: { authorization: `Bearer ${watcher}` },
    });
    const hashes: string[] = [];
    const pictures: number[] = [];
    socket.on('message', (data: Buffer, binary: boolean) => {
      if (binary) pictures.push(data.length);
      else hashes.push((JSON.parse(data.toString()) as { hash?: string }).hash ?? 'none');
    });
    await expect.poll(() => pictures.length, { timeout: 5_000 }).toBeGreaterThan(0);
    await ask(mine, 'POST', `/v1/sessions/${id}/act`, { actions: [{ type: 'type', text: 'more' }] });
    await expect.poll(() => new Set(hashes).size, { timeout: 5_000 }).toBeGreaterThan(2);
    expect(hashes[0]).toBe('none');
    socket.close();
  });

  it('is not captured after its watchers left, even if nothing changes', async () => {
    const session = sandbox.sessions.find((one) => one.id === id);
    const gone = new AbortController();
    const frames = session!.frames({ perSecond: 60, signal: gone.signal });
    expect((await frames.next()).done).toBe(false);
    const next = frames.next();
    gone.abort();
    expect((await next).done).toBe(true);
  });

  it('is accessible only to its leaser and admins', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/frame'],
      ['DELETE', ''],
      ['POST', '/renew'],
    ] as const) {
      expect((await ask(theirs, method, `/v1/sessions/${id}${path}`)).status, `${method} ${path}`).toBe(404);
    }
    expect(await (await ask(theirs, 'GET', '/v1/sessions')).json()).toEqual([]);
    expect(await (await ask(watcher, 'GET', '/v1/sessions')).json()).toHaveLength(1);
    expect((await ask(watcher, 'POST', `/v1/sessions/${id}/act`, { actions: [{ type: 'wait' }] })).status).toBe(403);
    expect((await ask(admin, 'POST', `/v1/sessions/${id}/renew`)).status).toBe(204);
  });
});

describe('an invalid request', () => {
  it.each([
    ['no token', '', 'GET', '/v1/sessions', undefined, 401, undefined],
    ['a forged token', 'x'.repeat(32), 'GET', '/v1/sessions', undefined, 401, undefined],
    ['a kind that there is not', 'mine', 'POST', '/v1/sessions', { kind: 'mainframe' }, 400, 'kind'],
    [
      'an invalid size',
      'mine',
      'POST',
      '/v1/sessions',
      { kind: 'browser', size: { width: -1, height: 2 } },
      400,
      'size',
    ],
    ['a field that nobody knows', 'mine', 'POST', '/v1/sessions', { kind: 'browser', colour: 'red' }, 400, 'body'],
    ['a session that there is not', 'mine', 'GET', '/v1/sessions/nothing', undefined, 404, undefined],
    ['an address that there is not', 'mine', 'GET', '/v2', undefined, 404, undefined],
  ])('%s is answered with one clear error', async (_, token, method, path, body, status, field) => {
    const error = await errorOf(await ask(token === 'mine' ? mine : token, method, path, body));
    expect(error).toMatchObject({ status, message: expect.any(String) as string, ...(field && { field }) });
  });

  it('is distinguished from invalid and oversized JSON', async () => {
    const send = (body: string) =>
      fetch(`${server.url}/v1/sessions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
        body,
      });
    expect(await errorOf(await send('{'))).toMatchObject({ status: 400, code: 'bad_input' });
    expect(await errorOf(await send(JSON.stringify('x'.repeat(2 ** 21))))).toMatchObject({ status: 413 });
  });

  it('leases no more than its limit', async () => {
    const leased = await Promise.all([0, 1, 2].map(() => ask(mine, 'POST', '/v1/sessions', { kind: 'browser', size })));
    expect(leased.map(({ status }) => status).sort()).toEqual([201, 201, 429]);
    const refused = leased.find(({ status }) => status === 429);
    expect(await errorOf(refused!)).toMatchObject({ code: 'infra', field: 'sessions' });
    const gone = new AbortController();
    const vanishing = fetch(`${server.url}/v1/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'browser', size, waitMs: 60_000 }),
      signal: gone.signal,
    });
    setTimeout(() => gone.abort(), 300);
    await expect(vanishing).rejects.toThrow();
    for (const response of leased.filter(({ status }) => status === 201)) {
      const { id } = (await response.json()) as { id: string };
      await ask(mine, 'DELETE', `/v1/sessions/${id}`);
    }
    expect(sandbox.sessions).toEqual([]);
  });

  it('leases to each token no more than its limit, and reports it', async () => {
    const few = await serveSandbox({
      sandbox,
      tokens: [mine, theirs].map((token) => ({ token, scope: 'operate' as const })),
      maxPerToken: 1,
    });
    const lease = (token: string, more = {}) =>
      fetch(`${few.url}/v1/sessions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'browser', size, ...more }),
      });
    expect((await lease(mine)).status).toBe(201);
    expect(await errorOf(await lease(mine, { waitMs: 50 }))).toMatchObject({ status: 429, field: 'perOwner' });
    expect((await lease(theirs)).status).toBe(201);
    expect(await errorOf(await lease(theirs, { waitMs: -1 }))).toMatchObject({ status: 400, field: 'waitMs' });
    await few.close();
  });

  it('has tokens that cannot be guessed', async () => {
    const weak = serveSandbox({ sandbox, tokens: [{ token: 'secret', scope: 'admin' }] });
    await expect(weak).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'tokens' } });
  });
});

it('reports its health to everyone; metrics and routes only with a token', async () => {
  expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ ok: true, sessions: 0 });
  expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
  expect(await (await ask(watcher, 'GET', '/metrics')).text()).toContain('gyre_sandbox_requests_total');
  const openapi = (await (await ask(watcher, 'GET', '/openapi.json')).json()) as { paths: Record<string, unknown> };
  expect(Object.keys(openapi.paths)).toContain('/v1/sessions/{id}/act');
});

it('ends its sessions when it is closed', async () => {
  const second = await serveSandbox({ sandbox, tokens: [{ token: admin, scope: 'admin' }] });
  const response = await fetch(`${second.url}/v1/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'browser', size }),
  });
  expect(response.status).toBe(201);
  await second.close();
  expect(sandbox.sessions).toEqual([]);
  await expect(fetch(`${second.url}/health`)).rejects.toThrow();
});
