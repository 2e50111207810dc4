import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AccessTokens, type ClientSession, probeIsolation, SandboxClient } from '@gyre/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessOptions } from './fleet.test.fixture.js';
import { connectNats } from './nats/connect.js';
import { natsServer, NatsProcess, needsNats } from './natsServer.test.support.js';
import { namesOf } from './wire/names.js';

const bin = fileURLToPath(new URL('../../cli/bin/gyre.mjs', import.meta.url));
const program = fileURLToPath(new URL('fleet.test.fixture.js', import.meta.url));
const times = { beatMs: 300, lostMs: 2_000, keepMs: 3_000, askMs: 30_000 };
const token = AccessTokens.random();
const fleet = 'real';

interface Started {
  readonly child: ChildProcess;
  readonly address: { readonly url: string; readonly instance: string };
}

describe.skipIf(!natsServer)(`a fleet of three nodes and two fronts, each a process${needsNats}`, () => {
  let nats: NatsProcess;
  let isolation: 'none' | 'auto';
  const children: ChildProcess[] = [];
  const nodes: Started[] = [];
  const fronts: Started[] = [];
  const clients: SandboxClient[] = [];

  const start = async (role: 'node' | 'front', more: Partial<ProcessOptions>): Promise<Started> => {
    const options: ProcessOptions = { nats: nats.url, fleet, times, token, isolation, ...more };
    const child = spawn(process.execPath, [program, role, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    return { child, address: JSON.parse(line) as Started['address'] };
  };
  const startFront = async (more: Partial<ProcessOptions> = {}) => {
    const front = await start('front', { perOwner: 9, ...more });
    fronts.push(front);
    clients.push(new SandboxClient({ url: front.address.url, token }));
  };
  const end = async (child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  const nodeNamed = (name: string) => nodes.find(({ address }) => address.instance.startsWith(`${name}_`))!;
  const addressOf = (session: { id: string }) => nodes.find(({ address }) => session.id.startsWith(address.instance));
  const api = (path: string, init: RequestInit = {}, front = 0) =>
    fetch(new URL(path, fronts[front]!.address.url), {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });

  beforeAll(async () => {
    isolation = (await probeIsolation()).kind === 'none' ? 'none' : 'auto';
    nats = await NatsProcess.start();
    nodes.push(...(await Promise.all(['a', 'b', 'c'].map((name) => start('node', { name, capacity: 3 })))));
    await startFront();
    await startFront({ direct: false });
  }, 300_000);
  afterAll(async () => {
    await Promise.all(children.map((child) => end(child)));
    await nats.close();
  });

  afterEach(async () => {
    for (const { id } of await clients[0]!.sessions()) await api(`/v1/sessions/${id}`, { method: 'DELETE' });
  });

  it('serves SandboxClient, at the node or through the front', async () => {
    const [direct, proxied] = await Promise.all(clients.map((client) => client.lease({ kind: 'shell' })));
    for (const session of [direct!, proxied!]) {
      await session.files.write('a/note.txt', `of ${session.id}`);
      expect((await session.shell.run('cat a/note.txt')).stdout).toBe(`of ${session.id}`);
      await session.renew();
    }
    await expect.poll(async () => (await clients[1]!.sessions()).length).toBe(2);
    // Any front reaches any session.
    const reached = await api(`/v1/sessions/${proxied!.id}/file?path=a/note.txt`);
    expect(await reached.text()).toBe(`of ${proxied!.id}`);
    await expect(direct!.files.readBytes('missing')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(proxied!.files.readBytes('missing')).rejects.toMatchObject({ code: 'bad_input' });
    await Promise.all([direct!.release(), proxied!.release()]);
    await expect.poll(async () => (await clients[0]!.sessions()).length).toBe(0);
  });

  it('gives a token for one session alone', async () => {
    const lease = (await (
      await api('/v1/sessions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'shell' }),
      })
    ).json()) as { id: string; direct: { url: string; token: string } };
    const neighbour = await clients[0]!.lease({
      kind: 'shell',
      labels: { name: addressOf(lease)!.address.instance.split('_')[0]! },
    });
    const statusOf = async (path: string, bearer = lease.direct.token, method = 'GET') =>
      (await fetch(new URL(path, lease.direct.url), { method, headers: { authorization: `Bearer ${bearer}` } })).status;
    expect(lease.direct.url).toBe(addressOf(lease)!.address.url);
    expect(await statusOf(`/v1/sessions/${lease.id}`)).toBe(200);
    expect(await statusOf(`/v1/sessions/${neighbour.id}`)).toBe(403);
    expect(await statusOf('/v1/sessions')).toBe(403);
    expect(await statusOf('/v1/sessions', lease.direct.token, 'POST')).toBe(403);
    expect(await statusOf('/metrics')).toBe(403);
    expect(await statusOf(`/v1/sessions/${lease.id}`, `${lease.direct.token}x`)).toBe(401);
    expect(await statusOf(`/v1/sessions/${lease.id}`, token)).toBe(401);
    expect(await statusOf(`/v1/sessions/${lease.id}`, lease.direct.token, 'DELETE')).toBe(204);
    await neighbour.release();
  });

  it('forks a session on any of its nodes, within the quota, or not at all', async () => {
    for (const client of clients) {
      const session = await client.lease({ kind: 'shell' });
      await session.files.write('note.txt', session.id);
      const forks = await session.fork({ count: 4 });
      for (const each of forks) expect((await each.shell.run('cat note.txt')).stdout).toBe(session.id);
      expect(new Set(forks.map((each) => addressOf(each)!.address.instance)).size).toBeGreaterThan(1);
      await expect(session.fork({ count: 5 })).rejects.toMatchObject({ code: 'infra', detail: { field: 'perOwner' } });
      await expect.poll(async () => (await client.sessions()).length).toBe(5);
      const [only] = await session.fork({ count: 1, labels: { name: 'b' } });
      expect(addressOf(only!)).toBe(nodeNamed('b'));
      await Promise.all([session, only!, ...forks].map((each) => each.release()));
      await expect.poll(async () => (await client.sessions()).length).toBe(0);
    }
  });

  it('forks a frame-stepped page to the same frame on other nodes', { timeout: 120_000 }, async () => {
    const press = { type: 'click', point: { x: 0.5, y: 0.5 } } as const;
    const html = `<body style="margin:0"><button style="width:100vw;height:100vh"
      onclick="this.textContent += Math.random().toFixed(4) + ' ' + Date.now() + ' '">press</button>`;
    for (const client of clients) {
      const session = await client.lease({ kind: 'browser', size: { width: 200, height: 150 } });
      await session.browser.open({ html, seed: 7 });
      for (let turn = 0; turn < 3; turn++) await session.screen.act(press);
      const forks = await session.fork({ count: 3 });
      expect(new Set(forks.map((each) => addressOf(each)!.address.instance)).size).toBeGreaterThan(1);
      const sessions = [session, ...forks];
      const hashes = () => Promise.all(sessions.map(async ({ screen }) => (await screen.observe()).hash));
      const [hash, ...others] = await hashes();
      expect(others).toEqual([hash, hash, hash]);
      const [pressed, pressedToo, zoomed] = forks as [typeof session, typeof session, typeof session];
      await Promise.all([pressed, pressedToo].map(({ screen }) => screen.act(press)));
      await zoomed.browser.evaluate('document.body.style.zoom = 2');
      await zoomed.browser.advance(100);
      const [origin, a, b, c] = await hashes();
      expect(origin).toBe(hash);
      expect(a).toBe(b);
      expect(new Set([origin, a, c]).size).toBe(3);
      await Promise.all(sessions.map((each) => each.release()));
      await expect.poll(async () => (await client.sessions()).length).toBe(0);
    }
  });

  it('describes nodes, counts, and names what is wrong', async () => {
    const list = (await (await api('/v1/nodes')).json()) as { node: string; capacity: number }[];
    expect(list.map(({ node }) => node).sort()).toEqual(nodes.map(({ address }) => address.instance).sort());
    const metrics = await (await api('/metrics')).text();
    expect(metrics).toContain('gyre_fleet_nodes{state="open"} 3');
    expect(metrics).toContain('gyre_fleet_places 9');
    expect(metrics).toContain('gyre_fleet_kind_places{kind="shell"} 9');
    const openapi = (await (await api('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(openapi.paths)).toEqual(expect.arrayContaining(['/v1/sessions/{id}/act', '/v1/nodes']));
    expect((await api('/v1/sessions/sandbox-1')).status).toBe(404);
    expect((await fetch(new URL('/v1/nodes', fronts[0]!.address.url))).status).toBe(401);
    await expect(clients[0]!.lease({ kind: 'shell', root: 'nowhere' })).rejects.toMatchObject({ code: 'infra' });
    await expect(clients[0]!.lease({ kind: 'shell', user: 'BAD NAME' })).rejects.toMatchObject({ code: 'bad_input' });
    await expect(clients[0]!.lease({ kind: 'shell', limits: { processes: 10 ** 9 } })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'limits.processes' },
    });
  });

  it('is not moved by hostile messages', async () => {
    const nc = await connectNats({ servers: [nats.url] }, 'hostile');
    const names = namesOf(fleet);
    const { instance } = nodes[0]!.address;
    const session = await clients[0]!.lease({ kind: 'shell' });
    const junk = [
      '',
      '{',
      '[]',
      'null',
      '{"ask":1}',
      '\u0000',
      '9'.repeat(10_000),
      '['.repeat(100_000),
      '{"__proto__":{}}',
    ];
    for (const text of junk) {
      for (const verb of ['lease', 'keep', 'cancel', 'list', 'drain', 'toString', '__proto__', 'a.b']) {
        nc.publish(names.command(instance, verb), text);
      }
      for (const key of [`node.${instance}`, 'node.x', 'front.x', 'x', 'a.b.c.d', 'node.*']) {
        nc.publish(`$KV.${names.members}.${key}`, text);
      }
      for (const key of ['a.b', 'a.999', 'x', 'a.1.2']) nc.publish(`$KV.${names.claims}.${key}`, text);
    }
    await nc.flush();
    await nc.close();
    expect((await session.shell.run('echo still')).stdout).toBe('still\n');
    const another = await clients[1]!.lease({ kind: 'shell' });
    await Promise.all([session.release(), another.release()]);
    const metrics = await (await api('/metrics')).text();
    expect(Number(/gyre_fleet_malformed_records (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(10);
    expect(((await (await api('/v1/nodes')).json()) as unknown[]).length).toBe(3);
  });

  it('loses the sessions of a killed node, and no others', async () => {
    const sessions: ClientSession<'shell'>[] = [];
    for (let i = 0; i < 9; i++) sessions.push(await clients[i % 2]!.lease({ kind: 'shell' }));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(9);
    await expect(clients[0]!.lease({ kind: 'shell' })).rejects.toMatchObject({ code: 'infra' });
    const lost = nodeNamed('b');
    await end(lost.child);
    const outcomes = await Promise.allSettled(sessions.map((session) => session.shell.run('echo alive')));
    for (const [index, outcome] of outcomes.entries()) {
      if (addressOf(sessions[index]!) === lost) expect(outcome).toMatchObject({ reason: { code: 'infra' } });
      else expect(outcome).toMatchObject({ value: { stdout: 'alive\n' } });
    }
    const lostSession = sessions.find((session) => addressOf(session) === lost)!;
    await expect
      .poll(
        async () =>
          ((await (await api(`/v1/sessions/${lostSession.id}`)).json()) as { error: { part: string; message: string } })
            .error.message,
        {
          timeout: 10_000,
        },
      )
      .toContain('was lost');
    // The owner's quota is free again: it was 9 of 9.
    nodes.push(await start('node', { name: 'd', capacity: 3 }));
    const next = await clients[0]!.lease({ kind: 'shell', waitMs: 20_000 });
    expect(addressOf(next)!.address.instance).toMatch(/^d_/);
    await next.release();
    await Promise.allSettled(sessions.map((session) => session.release()));
    await expect.poll(async () => (await clients[0]!.sessions()).length).toBe(0);
  });

  it('leaks nothing when a front is killed in the middle of leases', async () => {
    await startFront();
    const [front, client] = [fronts.at(-1)!, clients.at(-1)!];
    const delivered = await client.lease({ kind: 'shell' });
    const leases = Array.from({ length: 6 }, () => client.lease({ kind: 'shell' }).catch((error: unknown) => error));
    await new Promise((resolve) => setTimeout(resolve, 30));
    await end(front.child);
    // Its client talks to the node.
    expect((await delivered.shell.run('echo on')).stdout).toBe('on\n');
    await delivered.release();
    for (const outcome of await Promise.all(leases)) {
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'infra' });
    }
    // What clients have received stays theirs; all else returns.
    const known = new Set(
      (await Promise.all(leases)).flatMap((one) => (one instanceof Error ? [] : [(one as { id: string }).id])),
    );
    await expect
      .poll(async () => (await clients[0]!.sessions()).every(({ id }) => known.has(id)), { timeout: 20_000 })
      .toBe(true);
    for (const { id } of await clients[0]!.sessions()) await api(`/v1/sessions/${id}`, { method: 'DELETE' });
    const full = await Promise.all(
      Array.from({ length: 9 }, () => clients[0]!.lease({ kind: 'shell', waitMs: 40_000 })),
    );
    expect(new Set(full.map(({ id }) => id)).size).toBe(9);
    await Promise.all(full.map((session) => session.release()));
  });

  it('is what gyre serve starts', async () => {
    const gyre = async (...args: string[]): Promise<string> => {
      const common = ['--join', nats.url, '--fleet', 'typed'];
      const child = spawn(process.execPath, [bin, 'serve', ...args, ...common], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, GYRE_TOKEN: token },
      });
      children.push(child);
      let url = '';
      for await (const line of createInterface(child.stderr)) {
        url = /listening at (\S+)/.exec(line)?.[1] ?? url;
        if (url !== '' && (args[0] === 'fleet' || line.includes('of the fleet'))) break;
      }
      // Ends with its output otherwise.
      child.stderr.resume();
      return url;
    };
    const node = ['--sessions', '2', '--node-name', 'typed', '--label', 'zone=a', '--isolation', isolation];
    const [url, nodeUrl] = await Promise.all([gyre('fleet', '--per-token', '2'), gyre('sandbox', ...node)]);
    const client = new SandboxClient({ url, token });
    const session = await client.lease({ kind: 'shell', labels: { zone: 'a' }, waitMs: 20_000 });
    expect(session.id).toMatch(/^typed_[0-9a-f]{8}-1$/);
    expect((await session.shell.run('echo typed')).stdout).toBe('typed\n');
    const info = (await (
      await fetch(new URL('/v1/nodes', url), { headers: { authorization: `Bearer ${token}` } })
    ).json()) as { url: string; kinds: string[]; taken: number }[];
    expect(info).toMatchObject([{ url: nodeUrl, labels: { zone: 'a' }, capacity: 2 }]);
    expect(info[0]!.kinds).toContain('shell');
    await session.release();
  }, 300_000);

  it('continues when NATS restarts', async () => {
    const session = await clients[0]!.lease({ kind: 'shell' });
    await nats.kill();
    expect((await session.shell.run('echo without NATS')).stdout).toBe('without NATS\n');
    await nats.resume();
    const next = await clients[1]!.lease({ kind: 'shell', waitMs: 20_000 });
    expect((await next.shell.run('echo again')).stdout).toBe('again\n');
    expect(session.state).toBe('leased');
    await Promise.all([session.release(), next.release()]);
  });
});
