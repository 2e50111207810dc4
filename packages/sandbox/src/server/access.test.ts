import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerAccess } from './access/access.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { type TokenScope, tokenScopes, AccessTokens } from './tokens.js';

const tokens: Readonly<Record<TokenScope, string>> = {
  watch: AccessTokens.random(),
  operate: AccessTokens.random(),
  admin: AccessTokens.random(),
};

let sandbox: Sandbox;
let server: SandboxServer;
beforeAll(async () => {
  sandbox = await Sandbox.start({ isolation: 'none' });
  server = await serveSandbox({
    sandbox,
    tokens: tokenScopes.map((scope) => ({ token: tokens[scope], scope })),
    allowOrigins: ['https://studio.example'],
  });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends raw bytes. */
function ask(line: string, headers: Record<string, string> = {}, body = ''): Promise<Answer> {
  const { host, hostname, port } = new URL(server.url);
  const length: Record<string, string> = body === '' ? {} : { 'content-length': String(body.length) };
  const allHeaders = Object.entries({ host, connection: 'close', ...length, ...headers });
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `${line} HTTP/1.1\r\n${allHeaders.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
      );
    });
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString();
      // Event streams never end.
      if (answer.includes('text/event-stream')) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', ...rest] = answer.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: rest.join('\r\n\r\n') });
    });
  });
}

const bearing = (token: string) => ({ authorization: `Bearer ${token}` });
const json = { 'content-type': 'application/json' };
const pathOf = (url: string): string => url.replace(':port', '8123').replace('*', 'version').replace(/:\w+/g, 'none');

/** Reviewed by hand; new routes must be added deliberately. */
const watched = [
  ...[
    '/metrics',
    '/openapi.json',
    '/v1/sessions',
    '/v1/sessions/:id',
    '/v1/sessions/:id/events',
    '/v1/sessions/:id/logs',
  ],
  ...['/v1/sessions/:id/frame', '/v1/sessions/:id/frames', '/v1/sessions/:id/ports/:port/*'],
];
const opened = ['/health', '/v1/links/:id/:port/:secret/*', '/v1/sessions/:id/view'];

describe('every route of the server', () => {
  it('declares its scope; routes for watch and for everyone are listed', () => {
    expect(server.routes.length).toBeGreaterThan(40);
    const urlsFor = (scope: string) => [
      ...new Set(server.routes.filter((route) => route.scope === scope).map(({ url }) => url)),
    ];
    expect(urlsFor('watch').sort()).toEqual([...watched].sort());
    expect(urlsFor('open').sort()).toEqual([...opened].sort());
    for (const { method, scope } of server.routes) if (scope === 'watch') expect(['GET', 'HEAD']).toContain(method);
  });

  it('refuses requests without a token or with a lower scope', async () => {
    let tried = 0;
    for (const { method, url, scope } of server.routes) {
      if (scope === 'open') continue;
      const line = `${method} ${pathOf(url)}`;
      for (const headers of [{}, bearing('x'.repeat(32)), { authorization: 'Basic Og==' }]) {
        expect((await ask(line, headers)).status, line).toBe(401);
        tried++;
      }
      for (const less of tokenScopes.slice(0, tokenScopes.indexOf(scope))) {
        expect((await ask(line, bearing(tokens[less]))).status, `${less}: ${line}`).toBe(403);
        tried++;
      }
      // Admitted: only the session or body is missing.
      expect([401, 403]).not.toContain((await ask(line, bearing(tokens[scope]))).status);
    }
    expect(tried).toBeGreaterThan(150);
  });

  it('refuses other host names and foreign pages, whatever the token', async () => {
    const hostile = [
      { host: 'evil.example' },
      { host: `evil.example:${new URL(server.url).port}` },
      { host: '127.0.0.1:1' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    ];
    for (const { method, url } of server.routes) {
      for (const headers of hostile) {
        if (url.startsWith('/v1/links') && !('host' in headers)) continue;
        const { status } = await ask(`${method} ${pathOf(url)}`, { ...bearing(tokens.admin), ...headers } as never);
        expect(status, `${method} ${url} ${JSON.stringify(headers)}`).toBe(403);
      }
    }
    expect((await ask('GET /none', { host: 'evil.example' })).status).toBe(403);
  });

  it('accepts only JSON bodies, which HTML forms cannot send', async () => {
    const body = JSON.stringify({ kind: 'browser' });
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'text/json',
      'application/jsonx',
      'application/xml',
    ]) {
      for (const { method, url, scope } of server.routes) {
        if (scope === 'open' || !['POST', 'PUT', 'DELETE'].includes(method) || url.includes('/ports/')) continue;
        if (url.endsWith('/file') && type === 'application/octet-stream') continue;
        const { status } = await ask(
          `${method} ${pathOf(url)}`,
          { ...bearing(tokens.admin), 'content-type': type },
          body,
        );
        expect(status, `${method} ${url} ${type}`).toBe(415);
      }
    }
    expect((await ask('POST /v1/sessions', bearing(tokens.admin), body)).status).toBe(415);
    for (const poison of ['{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}'])
      expect((await ask('POST /v1/sessions', { ...bearing(tokens.admin), ...json }, poison)).status).toBe(400);
    expect(sandbox.sessions).toEqual([]);
  });

  it('ignores method overrides by a header or a field', async () => {
    const deleting = { 'x-http-method-override': 'DELETE', ...bearing(tokens.operate) };
    expect((await ask('POST /v1/sessions/none', deleting)).status).toBe(404);
    expect((await ask('GET /v1/sessions/none?_method=DELETE', bearing(tokens.watch))).body).toContain(
      'there is no session',
    );
  });
});

describe('an answer', () => {
  it('cannot be framed, sniffed or read by another page', async () => {
    for (const path of ['/health', '/v1/sessions', '/v1/sessions/none/view', '/none']) {
      const { head } = await ask(`GET ${path}`, bearing(tokens.admin));
      expect(head).toMatch(/content-security-policy: default-src 'none';.*frame-ancestors 'none'/);
      for (const line of [
        'x-content-type-options: nosniff',
        'referrer-policy: no-referrer',
        'cross-origin-resource-policy: same-origin',
      ])
        expect(head, path).toContain(line);
      expect(head).not.toContain('access-control-');
    }
  });

  it('may be read by pages of the operator, which send no cookies', async () => {
    const page = { origin: 'https://studio.example', 'sec-fetch-site': 'cross-site' };
    const preflight = await ask('OPTIONS /v1/sessions', {
      ...page,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.head).toContain('access-control-allow-headers: authorization');
    const { status, head } = await ask('GET /v1/sessions', { ...page, ...bearing(tokens.admin) });
    expect(status).toBe(200);
    expect(head).toContain('access-control-allow-origin: https://studio.example');
    expect(head).not.toContain('access-control-allow-credentials');
    expect((await ask('GET /v1/sessions', page)).status).toBe(401);
  });

  it('contains no terminal control sequences', async () => {
    const { body } = await ask('GET /v1/sessions/%1b%5b2J%c2%9b%e2%80%ae', bearing(tokens.admin));
    expect(body).toContain('there is no session');
    // eslint-disable-next-line no-control-regex
    expect(body.split('\r\n').join('')).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });
});

describe('a token', () => {
  it('is taken as a bearer, as the password of an address, or apart', async () => {
    for (const headers of [
      bearing(tokens.watch),
      { authorization: `Basic ${Buffer.from(`gyre:${tokens.watch}`).toString('base64')}` },
      { 'x-gyre-token': tokens.watch, authorization: 'Bearer of-a-server-behind' },
    ]) {
      expect((await ask('GET /v1/sessions', headers)).status).toBe(200);
    }
    for (const query of [`token=${tokens.admin}`, `access_token=${tokens.admin}`])
      expect((await ask(`GET /v1/sessions?${query}`)).status).toBe(401);
    expect((await ask('GET /v1/sessions', { cookie: `token=${tokens.admin}` })).status).toBe(401);
  });

  it('is required if the server is reachable from other machines', async () => {
    for (const host of ['0.0.0.0', '::', '', '192.168.1.5', 'gyre.example']) {
      expect(() => new ServerAccess({ host }), host).toThrow(
        expect.objectContaining({
          code: 'bad_input',
          detail: expect.objectContaining({ field: '--host' }) as object,
        }) as Error,
      );
      expect(
        () => new ServerAccess({ host, tokens: [{ token: tokens.admin, scope: 'admin' }], anonymous: 'watch' }),
      ).toThrow('no token');
      expect(() => new ServerAccess({ host, tokens: [{ token: tokens.admin, scope: 'admin' }] })).not.toThrow();
    }
    const same = [...tokenScopes].map((scope) => ({ token: tokens.watch, scope }));
    expect(() => new ServerAccess({ tokens: same })).toThrow('the same');
  });
});

it('refuses to add a route without a scope, or one for watch that acts', async () => {
  const app = Fastify();
  const access = new ServerAccess({});
  access.guard(app);
  expect(() => app.get('/new', () => 'x')).toThrow('has no access scope');
  expect(() => app.post('/new', { onRequest: access.may('watch') }, () => 'x')).toThrow('allows GET and HEAD only');
  app.post('/good', { onRequest: access.may('operate') }, () => 'x');
  expect(access.routes).toEqual([{ method: 'POST', url: '/good', scope: 'operate' }]);
  await app.close();
});
