import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SandboxClient } from '../client/client.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import type { SandboxEvent } from '../events/event.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { type TokenScope, tokenScopes, AccessTokens } from './tokens.js';

const isolated = (await probeIsolation()).kind !== 'none';
const tokens = Object.fromEntries(tokenScopes.map((scope) => [scope, AccessTokens.random()])) as Record<
  TokenScope,
  string
>;
const terms = { kind: 'browser', size: { width: 160, height: 120 } } as const;

let sandbox: Sandbox;
let server: SandboxServer;
beforeAll(async () => {
  sandbox = await Sandbox.start(isolated ? {} : { isolation: 'none' });
  server = await serveSandbox({ sandbox, tokens: tokenScopes.map((scope) => ({ token: tokens[scope], scope })) });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

const client = (scope: TokenScope) => new SandboxClient({ url: server.url, token: tokens[scope] });

it('are streamed to admins, and those of one session to its readers, until it ends', async () => {
  const gone = new AbortController();
  const adminEvents = client('admin').events({ signal: gone.signal });
  const first = adminEvents.next();
  const session = await client('operate').lease(terms);
  expect((await first).value).toMatchObject({ type: 'session.created', session: session.id, kind: 'browser' });
  const seen: SandboxEvent[] = [];
  const watching = (async () => {
    for await (const event of client('watch').events({ session: session.id })) seen.push(event);
  })();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const secondSession = await client('operate').lease(terms);
  await session.release();
  await watching;
  expect(seen.map(({ type }) => type)).toEqual(['session.ended']);
  expect(seen[0]).not.toHaveProperty('owner');
  await secondSession.release();
  gone.abort();
  await expect(adminEvents.next()).resolves.toBeDefined();
});

it('are refused without permission', async () => {
  const status = async (scope: TokenScope, path: string) =>
    (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${tokens[scope]}` } })).status;
  expect(await status('operate', '/v1/events')).toBe(403);
  expect(await status('watch', '/v1/events')).toBe(403);
  expect(await status('watch', '/v1/sessions/nothing/events')).toBe(404);
  expect((await fetch(`${server.url}/v1/events`)).status).toBe(401);
});

it('do not block the server if a client does not read them', async () => {
  const socket = connect(Number(new URL(server.url).port));
  socket.write(`GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens.admin}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  for (let i = 0; i < 3; i++) await (await client('operate').lease(terms)).release();
  socket.destroy();
  expect(sandbox.sessions).toEqual([]);
});
