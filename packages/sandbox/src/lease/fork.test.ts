import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SandboxClient } from '../client/client.js';
import { probeIsolation } from '../isolation/createEnclosure.js';
import { type SandboxServer, serveSandbox } from '../server/server.js';
import { AccessTokens } from '../server/tokens.js';
import { Sandbox } from './sandbox.js';
import { browserOf, type Session } from './session.js';

const isolated = (await probeIsolation()).kind !== 'none';
const token = AccessTokens.random();
const terms = { kind: 'browser', size: { width: 200, height: 150 } } as const;
const page = {
  html: `<style>@keyframes go { to { margin-left: 100px } } b { display: block; animation: go 3s linear infinite }</style>
    <b>go</b><button style="position:fixed;left:0;bottom:0;width:60px;height:60px"
    onclick="document.body.append(Math.random().toFixed(4) + ' ' + Date.now() + ' ')">press</button>`,
  seed: 7,
};
const press = { type: 'click', point: { x: 0.1, y: 0.9 } } as const;
const hashOf = async (session: Session) => (await session.screen.observe()).hash;

let sandbox: Sandbox;
let server: SandboxServer;
let client: SandboxClient;
beforeAll(async () => {
  sandbox = await Sandbox.start({ ...(isolated ? {} : { isolation: 'none' }), quotas: { sessions: 6 } });
  server = await serveSandbox({ sandbox, tokens: [{ token, scope: 'operate' }] });
  client = new SandboxClient({ url: server.url, token });
});
afterEach(() => Promise.all(sandbox.sessions.map((session) => session.release())));
afterAll(async () => {
  await server.close();
  await sandbox.close();
});

const lessors = [
  ['here', () => sandbox.lease(terms)],
  ['over HTTP', () => client.lease(terms)],
] as const;

describe.each(lessors)('forks of a frame-stepped session %s', (_, lease) => {
  it('begin at its frame, and go their own ways', async () => {
    const session = await lease();
    await browserOf(session).open(page);
    for (let turn = 0; turn < 3; turn++) await session.screen.act(press);
    await browserOf(session).advance(333);
    const hash = await hashOf(session);
    const forks = await session.fork({ count: 3 });
    expect(new Set([session, ...forks].map(({ id }) => id)).size).toBe(4);
    expect(await Promise.all([session, ...forks].map(hashOf))).toEqual([hash, hash, hash, hash]);
    const [pressed, pressedToo, waiting] = forks as unknown as [Session, Session, Session];
    for (const each of [pressed, pressedToo]) await each.screen.act(press);
    await browserOf(waiting).advance(333);
    const [a, b, c, origin] = await Promise.all([pressed, pressedToo, waiting, session].map(hashOf));
    expect(a).toBe(b);
    expect(new Set([a, c, origin]).size).toBe(3);
    expect(origin).toBe(hash);
    await Promise.all([session, ...forks].map((each) => each.release()));
    expect(sandbox.sessions).toEqual([]);
  }, 60_000);

  it('are all made, or none', async () => {
    const session = await lease();
    await browserOf(session).open(page);
    for (const count of [0, 1.5, 65, Number.NaN]) {
      await expect(session.fork({ count })).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'count' } });
    }
    await expect(session.fork({ count: 6 })).rejects.toMatchObject({ code: 'infra', detail: { field: 'sessions' } });
    expect(sandbox.sessions.map(({ id }) => id)).toEqual([session.id]);
    const short = session.fork({ count: 5, ttlMs: 200 });
    await expect(short).rejects.toMatchObject({ code: 'infra', detail: { field: 'ttlMs' } });
    expect(sandbox.sessions.map(({ id }) => id)).toEqual([session.id]);
    await session.release();
    await expect(session.fork({ count: 1 })).rejects.toMatchObject({ code: 'infra' });
  }, 60_000);
});

it('forks of a shell have its files and its environment', async () => {
  const session = await sandbox.lease({ kind: 'shell', env: { COLOUR: 'green' }, owner: 'anna' });
  await session.files.write('a/note.txt', 'before', { folders: true });
  const [fork] = await session.fork({ count: 1, ttlMs: 60_000 });
  await session.files.write('a/note.txt', 'after');
  expect((await fork!.shell.run('cat a/note.txt; echo " $COLOUR"')).stdout).toBe('before green\n');
  await Promise.all([session.release(), fork!.release()]);
});

it('a session on a free clock is not forked', async () => {
  const session = await client.lease({ ...terms, clock: 'free' });
  await expect(session.fork({ count: 2 })).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'clock' } });
  await session.release();
});

it('a client that leaves during a replay leaves no session behind', async () => {
  const session = await client.lease(terms);
  await session.browser.open(page);
  for (let turn = 0; turn < 4; turn++) await session.browser.evaluate('for (let i = 0; i < 3e8; i++);');
  const leaving = new AbortController();
  const restored = fetch(`${server.url}/v1/restore`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ checkpoint: await session.checkpoint() }),
    signal: leaving.signal,
  });
  await expect.poll(() => sandbox.sessions.length, { timeout: 10_000 }).toBe(2);
  leaving.abort();
  await expect(restored).rejects.toThrow();
  await expect.poll(() => sandbox.sessions.map(({ id }) => id), { timeout: 10_000 }).toEqual([session.id]);
  await session.release();
}, 60_000);
