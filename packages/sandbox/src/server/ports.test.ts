import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { SandboxClient } from '../client/client.js';
import type { ClientSession } from '../client/clientSession.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { findBrowser } from '../browser/executable.js';
import { Sandbox } from '../lease/sandbox.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { programText } from '../shell/programText.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const [mine, theirs, watcher] = [AccessTokens.random(), AccessTokens.random(), AccessTokens.random()];
const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
const size = { width: 320, height: 240 };
const maxPortRequests = 4;

let sandbox: Sandbox;
let server: SandboxServer;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({
    sandbox,
    maxPortRequests,
    tokens: [
      { token: mine, scope: 'operate' },
      { token: theirs, scope: 'operate' },
      { token: watcher, scope: 'watch' },
    ],
  });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

function sent(url: string, line: string, headers: Record<string, string>, body = '') {
  const { host, hostname, port } = new URL(url);
  const headerLines = Object.entries({ host, connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${line} HTTP/1.1\r\n${headerLines.join('')}\r\n${body}`),
    );
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', ...rest] = answer.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), body: rest.join('\r\n\r\n') });
    });
  });
}

const program = programText(new URL('./echoServer.test.fixture.py', import.meta.url));

interface Echo {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

describe.skipIf(!isolated)('a server that a program of a session has started', () => {
  let leased: ClientSession;
  let session: SandboxSession;
  let place: string;
  beforeAll(async () => {
    const client = new SandboxClient({ url: server.url, token: mine });
    leased = await client.lease({ kind: 'browser', size, clock: 'free' });
    const { id } = leased;
    session = sandbox.sessions.find((one) => one.id === id) as SandboxSession;
    place = `${server.url}/v1/sessions/${id}/ports/8123`;
    await session.files.write('server.py', program);
    await session.shell.start('python3 server.py');
    while ((await fetch(`${place}/`, { headers: bearing(mine) })).status === 502) await pause(50);
  });

  it('gets requests unchanged, except for headers of the proxy', async () => {
    const response = await fetch(`${place}/a%2Fb/c?d=/e&f`, {
      method: 'POST',
      body: 'a body',
      headers: {
        ...bearing(mine),
        'content-type': 'text/odd',
        'x-own': 'kept',
        origin: server.url,
        referer: `${server.url}/secret`,
        te: 'trailers',
        cookie: 'other=secret; inside.a=b; inside.c=d=e',
      },
    });
    const { method, path, body, headers } = (await response.json()) as Echo;
    expect({ method, path, body }).toEqual({ method: 'POST', path: '/a%2Fb/c?d=/e&f', body: 'a body' });
    expect(headers).toMatchObject({ host: 'localhost:8123', origin: 'http://localhost:8123', 'x-own': 'kept' });
    expect(headers.cookie).toBe('a=b; c=d=e');
    expect(headers['content-type']).toBe('text/odd');
    for (const name of ['authorization', 'referer', 'te']) expect(headers[name], name).toBeUndefined();
    expect(JSON.stringify(headers)).not.toContain(mine);
  });

  it('cannot set headers on behalf of the proxy', async () => {
    const response = await fetch(`${place}/`, { headers: bearing(mine) });
    const { pathname } = new URL(place);
    expect(response.headers.get('set-cookie')).toBe(`inside.a=b; HttpOnly; Path=${pathname}/x`);
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*same-origin)/);
    expect(response.headers.get('clear-site-data')).toBeNull();
    const moved = await fetch(`${place}/moved`, { headers: bearing(mine), redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, `${pathname}/page/?a=1`]);
    const head = await fetch(`${place}/`, { method: 'HEAD', headers: bearing(mine) });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('speaks with WebSockets', async () => {
    const address = `${place.replace('http', 'ws')}/live`;
    const socket = new WebSocket(address, { headers: bearing(mine) });
    const greeting = await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
    expect(String(greeting)).toBe('hello');
    socket.terminate();
    // The program must not see a page's token.
    const protocols = ['gyre', `gyre.bearer.${Buffer.from(mine).toString('base64url')}`];
    const paged = new WebSocket(`${place.replace('http', 'ws')}/other`, protocols);
    await expect(new Promise((_, reject) => paged.once('error', reject))).rejects.toThrow('200');
    for (const [url, headers, status] of [
      [address, {}, 401],
      [address, bearing(theirs), 404],
      [address, bearing(watcher), 403],
      [`${place.replace('http', 'ws')}/other`, bearing(mine), 200],
      [address.replace('8123', '8124'), bearing(mine), 502],
    ] as const) {
      const refused = new WebSocket(url, { headers });
      await expect(new Promise((_, reject) => refused.once('error', reject))).rejects.toThrow(String(status));
    }
  });

  it.each([
    ['nobody listens', 'mine', '8124/', 502],
    ['a connection is closed without an answer', 'mine', '8123/gone', 502],
    ['no token is sent', '', '8123/', 401],
    ['the session is another’s', 'theirs', '8123/', 404],
    ['the port is invalid', 'mine', '0/', 400],
    ['the port is invalid', 'mine', '70000/', 400],
    ['the port is invalid', 'mine', '127.0.0.1:80/', 400],
  ])('is refused clearly if %s', async (_, token, path, status) => {
    const headers = bearing(token === 'mine' ? mine : token === 'theirs' ? theirs : '');
    const response = await fetch(place.replace('8123', path), { headers });
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String) as string } });
    expect(response.status).toBe(status);
  });

  it('has a limited number of requests', async () => {
    const address = `${place.replace('http', 'ws')}/live`;
    const open = async () => {
      const socket = new WebSocket(address, { headers: bearing(mine) });
      await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: maxPortRequests }, open));
    const status = async () => (await fetch(`${place}/`, { headers: bearing(mine) })).status;
    expect(await status()).toBe(429);
    for (const socket of sockets) socket.terminate();
    await expect.poll(status, { timeout: 5_000 }).toBe(200);
    const large = request(`${place}/`, { method: 'PUT', headers: { ...bearing(mine), 'content-length': 2 ** 29 } });
    large.on('error', () => undefined);
    large.write('x');
    const refused = await new Promise<number | undefined>((resolve) =>
      large.once('response', ({ statusCode }) => resolve(statusCode)),
    );
    expect(refused).toBe(413);
    large.destroy();
  });

  it('is never one of the host', async () => {
    const host = createServer((_, response) => response.end('of the host'));
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const { port } = host.address() as AddressInfo;
    expect((await fetch(place.replace('8123', `${port}/`), { headers: bearing(mine) })).status).toBe(502);
    const over = { headers: { ...bearing(mine), host: `127.0.0.1:${port}` } };
    expect(await (await fetch(`${place}/http://127.0.0.1:${port}/`, over)).json()).toMatchObject({
      headers: { host: 'localhost:8123' },
    });
    host.close();
  });

  it('is visible by a link, in a page with another origin', async () => {
    const ask = (token: string) =>
      fetch(`${server.url}/v1/sessions/${session.id}/links`, {
        method: 'POST',
        headers: { ...bearing(token), 'content-type': 'application/json' },
        body: JSON.stringify({ port: 8123 }),
      });
    expect((await ask(theirs)).status).toBe(404);
    expect((await ask(watcher)).status).toBe(403);
    const { path } = (await (await ask(mine)).json()) as { path: string };
    const link = await leased.link(8123);
    expect(link).toBe(`${server.url}${path}`);
    expect((await fetch(link)).status).toBe(200);
    for (const other of [link.replace('8123', '8124'), `${link.slice(0, -2)}/`]) {
      expect((await fetch(other)).status, other).toBe(404);
    }
    const browser = await chromium.launch({ executablePath: findBrowser().path, args: ['--no-sandbox'] });
    const page = await browser.newPage();
    await page.goto(`${link}page/`);
    await page.waitForFunction('document.title !== "inside"');
    expect(await page.title()).toBe('PUT/page/data');
    expect(await page.evaluate('origin')).toBe('null');
    await browser.close();
  });

  it('gets only GET requests without a body from watchers', async () => {
    const send = (method: string, more: Record<string, string>, body = '') => {
      const { pathname } = new URL(place);
      return sent(server.url, `${method} ${pathname}/x`, { authorization: `Bearer ${watcher}`, ...more }, body);
    };
    const hidden = 'POST /hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
    const length = { 'content-length': String(hidden.length) };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await send(method, {})).status).toBe(403);
    const attempts: [Record<string, string>, string][] = [
      [length, hidden],
      [{ ...length, connection: 'close, content-length' }, hidden],
      [
        { 'transfer-encoding': 'chunked', connection: 'close, transfer-encoding' },
        `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      ],
      [{ connection: 'upgrade', upgrade: 'websocket' }, ''],
      [{ connection: 'upgrade', upgrade: 'h2c' }, ''],
    ];
    for (const [more, body] of attempts) expect((await send('GET', more, body)).status, JSON.stringify(more)).toBe(403);
    const looked = await send('GET', { 'x-http-method-override': 'DELETE' });
    expect(looked.status).toBe(200);
    expect(looked.body).toContain('"method": "GET"');
    expect(looked.body).not.toContain('override');
  });

  it('gets exactly one request for each, whatever its connection headers', async () => {
    const hidden = 'POST /hidden HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
    const { pathname } = new URL(place);
    const credentials = { authorization: `Bearer ${mine}` };
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const named = { 'content-length': String(hidden.length), connection: 'close, content-length' };
      const { body } = await sent(server.url, `${method} ${pathname}/x`, { ...credentials, ...named }, hidden);
      // Smuggled as the body.
      if (method !== 'DELETE') expect(JSON.parse(body), method).toMatchObject({ method, body: hidden });
    }
    for (const [named, status] of [
      [{ 'transfer-encoding': 'chunked', 'content-length': '4' }, 400],
      [{ 'transfer-encoding': 'xchunked' }, 400],
      [{ 'content-length': '4, 5' }, 400],
    ] as const) {
      expect((await sent(server.url, `POST ${pathname}/x`, { ...credentials, ...named }, hidden)).status).toBe(status);
    }
  });

  it('can be forwarded to a port of the host by the leaser', async () => {
    const forwarded = await session.forward(8123);
    const { port } = forwarded.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}/x`)).json()).toMatchObject({ path: '/x' });
    forwarded.close();
  });
});

it('is missing without isolation: the ports would be the host’s', async () => {
  const bare = await Sandbox.start({ isolation: 'none' });
  const session = await bare.lease({ kind: 'browser', size });
  await expect(session.connect(80)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'port' } });
  await expect(session.forward(80)).rejects.toMatchObject({ code: 'bad_input' });
  await bare.close();
});

it('is in the OpenAPI document of the server', async () => {
  const openapi = await fetch(`${server.url}/openapi.json`, { headers: bearing(watcher) });
  const { paths } = (await openapi.json()) as { paths: Record<string, Record<string, unknown>> };
  expect(Object.keys(paths['/v1/sessions/{id}/ports/{port}/{*}'] ?? {})).toEqual(
    expect.arrayContaining(['get', 'put']),
  );
  expect(paths).toHaveProperty(['/v1/sessions/{id}/links', 'post', 'responses', '201']);
  expect(paths).toHaveProperty(['/v1/sessions/{id}/cdp', 'get']);
});
