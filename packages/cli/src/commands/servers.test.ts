import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveGateway, serveModel } from '@gyre/agent';
import { type NativeEngine, NativeTokenEngine, serveTinker } from '@gyre/engine';
import { Lake } from '@gyre/lake';
import { serveOpenenv } from '@gyre/openenv';
import { type ServerAccessOptions, BrowserPool, Sandbox, serveSandbox, AccessTokens } from '@gyre/sandbox';
import { serveStudio } from '@gyre/studio';
import { families } from '@gyre/tasks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inProcess } from '../inProcess.test.fixture.js';

const token = AccessTokens.random();
const tokens = [{ token, scope: 'operate' as const }];

interface Served {
  readonly url: string;
  close(): Promise<void>;
}
let sandbox: Sandbox;
let pool: BrowserPool;
let lake: Lake;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gyre-servers-'));
  lake = await Lake.open(directory);
  sandbox = await Sandbox.start({ isolation: 'none' });
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
});
afterAll(async () => {
  await sandbox.close();
  await pool.close();
  await lake.close();
  await rm(directory, { recursive: true });
});

const upstream = 'http://127.0.0.1:1/v1';
const policies = { names: () => Promise.resolve([]), open: () => Promise.reject(new Error('there is none')) };
const servers = {
  sandbox: (access: ServerAccessOptions) => serveSandbox({ sandbox, ...access, tokens: access.tokens ?? tokens }),
  // No accepted request reaches its engine.
  model: (access: ServerAccessOptions) =>
    serveModel({ engine: undefined as unknown as NativeEngine, name: 'nano', ...access }),
  tinker: ({ host, tokens }: ServerAccessOptions) => {
    const engine = new NativeTokenEngine({
      engine: undefined as unknown as NativeEngine,
      pixels: () => Promise.resolve(new Uint8Array()),
    });
    return serveTinker({ engine, name: 'nano', host, tokens: tokens?.map(({ token }) => token) });
  },
  openenv: (access: ServerAccessOptions) =>
    serveOpenenv({ pool, families: Object.values(families), sessions: 1, ...access }),
  gateway: ({ host, tokens }: ServerAccessOptions) =>
    serveGateway({ upstream, lake, ...(host !== undefined && { host }), ...(tokens && { tokens }) }),
  studio: (access: ServerAccessOptions) =>
    serveStudio({ runs: [directory], policies, ...access, tokens: access.tokens ?? tokens }),
} satisfies Record<string, (access: ServerAccessOptions) => Promise<Served>>;
const acts = {
  sandbox: 'POST /v1/sessions',
  model: 'POST /v1/chat/completions',
  tinker: 'POST /api/v1/optim_step',
  openenv: 'POST /reset',
  gateway: 'POST /v1/chat/completions',
  studio: 'POST /api/runs/mine/sql',
};
const looks = {
  sandbox: 'GET /v1/sessions',
  model: 'GET /v1/models',
  tinker: 'GET /api/v1/get_server_capabilities',
  openenv: 'GET /schema',
  gateway: 'GET /v1/models',
  studio: 'GET /api/runs',
};
const names = Object.keys(servers) as (keyof typeof servers)[];

async function status(url: string, line: string, headers: Record<string, string> = {}, body = ''): Promise<number> {
  const { host, hostname, port } = new URL(url);
  const length: Record<string, string> = body === '' ? {} : { 'content-length': String(body.length) };
  const allHeaders = Object.entries({ host, connection: 'close', ...length, ...headers });
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `${line} HTTP/1.1\r\n${allHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
      ),
    );
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString();
      if (text.includes('\r\n')) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
  return Number(answer.split(' ')[1]);
}

/** Without a token they generate one. */
const guarded = ['sandbox', 'studio'];

describe.each(names)('the server %s', (name) => {
  let server: Served;
  beforeAll(async () => {
    server = await servers[name]({});
  });
  afterAll(() => server.close());
  const bearing: Record<string, string> = guarded.includes(name) ? { authorization: `Bearer ${token}` } : {};

  test('refuses other host names and pages of other origins', async () => {
    expect([200, 502]).toContain(await status(server.url, looks[name], bearing));
    for (const headers of [
      { host: 'evil.example' },
      { host: `evil.example:${new URL(server.url).port}` },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:3000' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      for (const line of [looks[name], acts[name], 'GET /health', 'GET /none', 'OPTIONS /'])
        expect(await status(server.url, line, { ...bearing, ...headers }), `${line} ${JSON.stringify(headers)}`).toBe(
          403,
        );
      const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const opened = { ...bearing, ...headers, ...upgrade, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
      for (const path of ['/ws', '/v1/sessions/none/control', '/v1/sessions/none/cdp'])
        expect(await status(server.url, `GET ${path}`, opened), path).toBe(403);
    }
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'text/plain; application/json',
  ])('acts on no body of type %s', async (type) =>
    expect(await status(server.url, acts[name], { ...bearing, 'content-type': type }, '{}')).toBe(415),
  );

  test('requires a token from other machines', async () => {
    for (const host of ['0.0.0.0', '::', '']) {
      if (name === 'sandbox') continue;
      await expect(servers[name]({ host, tokens: [] }), host).rejects.toMatchObject({
        code: 'bad_input',
        detail: { field: '--host', fix: expect.stringContaining('--token') as string },
      });
    }
    const open = await servers[name]({ host: '0.0.0.0', tokens });
    try {
      const url = `http://127.0.0.1:${new URL(open.url).port}`;
      expect(await status(url, looks[name])).toBe(401);
      expect(await status(url, acts[name])).toBe(401);
      expect(await status(url, 'GET /health')).toBe(200);
      expect([200, 502]).toContain(await status(url, looks[name], { authorization: `Bearer ${token}` }));
    } finally {
      await open.close();
    }
  });
});

describe('the command line', () => {
  const commands = [
    ['sandbox'],
    ['sandbox', '--compat', 'osworld'],
    ['sandbox', '--compat', 'aio'],
    ['model'],
    ['tinker'],
    ['openenv'],
    ['gateway', '--upstream', upstream],
  ];
  test.each(commands)('gyre serve %s %s is refused before anything starts', async (...args) => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5']) {
      const { status, stderr } = await inProcess('serve', ...args.filter(Boolean), '--host', host);
      expect(status).toBe(2);
      expect(stderr).toContain(
        `error: ${host} is reachable from other machines, but no token is required (--host: set --token or GYRE_TOKEN`,
      );
    }
    const weak = await inProcess('serve', ...args.filter(Boolean), '--host', '0.0.0.0', '--token', 'hunter2');
    expect([weak.status, weak.stderr.includes('hunter2')]).toEqual([2, false]);
    const wild = await inProcess('serve', ...args.filter(Boolean), '--allow-origin', '*');
    expect([wild.status, wild.stderr]).toEqual([2, expect.stringContaining('--allow-origin')]);
  });
});

test('every server closes a connection that sends no request', async () => {
  const ended = names.map(async (name) => {
    const server = await servers[name]({});
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(`GET / HTTP/1.1\r\nhost: ${new URL(server.url).host}\r\n`);
    await once(socket, 'close');
    await server.close();
  });
  await Promise.all(ended);
}, 20_000);
