import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SandboxClient } from '../client/client.js';
import type { ClientSession } from '../client/clientSession.js';
import { adbIsInstalled } from '../phone/adbServer.js';
import { buttonBox } from '../phone/double/deviceDouble.js';
import type { PhoneDouble } from '../phone/double/phoneDouble.js';
import { plugIn, unplug } from '../phone/double/pluggedIn.js';
import { startPrivateServer, type PrivateServer } from '../phone/double/privateServer.js';
import { AioDouble } from '../foreign/double/aioDouble.js';
import { startHost, type Host } from '../foreign/double/host.js';
import { Sandbox } from '../lease/sandbox.js';
import { serveSandbox, type SandboxServer } from './server.js';
import { AccessTokens } from './tokens.js';
import type { LeaseRequest } from '../wire/lease.js';

const noAdb = adbIsInstalled() ? undefined : 'adb is not installed: apt-get install adb';

const error = (code: string, field: string) =>
  expect.objectContaining({ code, detail: expect.objectContaining({ field, fix: expect.any(String) }) });

const token = AccessTokens.random();
const point = { x: 0.25, y: 0.5 };
const onButton = { x: buttonBox.x + buttonBox.width / 2, y: buttonBox.y + buttonBox.height / 2 };

let adb: PrivateServer | undefined;
let phone: PhoneDouble | undefined;
let machines: { double: AioDouble; peer: Host }[];
let sandbox: Sandbox;
let server: SandboxServer;
let client: SandboxClient;

beforeAll(async () => {
  if (noAdb !== undefined) return;
  adb = await startPrivateServer();
  phone = await plugIn(adb);
});
afterAll(async () => {
  if (adb && phone) await unplug(adb, phone);
  await adb?.close();
});
beforeEach(async () => {
  machines = [];
  for (const double of [new AioDouble(), new AioDouble(), new AioDouble()]) {
    machines.push({ double, peer: await startHost(double.handler) });
  }
  sandbox = await Sandbox.start(adb ? { adb: { port: adb.port } } : {});
  server = await serveSandbox({
    sandbox,
    tokens: [{ token, scope: 'admin' }],
    phones: phone ? [phone.serial, 'gone'] : [],
    // The last is not allow-listed.
    remotes: [machines[0]!.peer.url, `${machines[1]!.peer.url}/`],
  });
  client = new SandboxClient({ url: server.url, token });
});
afterEach(async () => {
  await server.close();
  await sandbox.close();
  for (const { peer } of machines) await peer.close();
});

const ask = (method: string, path: string, body?: object) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });

const remote = (index = 0): LeaseRequest => ({
  kind: 'remote',
  protocol: 'aio',
  url: machines[index]!.peer.url,
  settle: false,
});

async function refusesMachines(session: ClientSession): Promise<void> {
  expect(session.browser).toBeUndefined();
  await expect(session.tools.servers()).rejects.toEqual(error('bad_input', 'id'));
  await expect(session.checkpoint()).rejects.toEqual(error('bad_input', 'id'));
  await expect(session.link(8_000)).rejects.toEqual(error('bad_input', 'id'));
  for (const [method, path, body] of [
    ['POST', '/browser/navigate', { url: 'http://a/' }],
    ['GET', '/cdp/json/version', undefined],
    ['GET', '/ports/8000/', undefined],
  ] as const) {
    expect((await ask(method, `/v1/sessions/${session.id}${path}`, body)).status, path).toBe(400);
  }
  expect(session.state).toBe('leased');
}

describe('a remote machine over HTTP', () => {
  it('works like any session', async () => {
    const session = await client.lease(remote());
    expect(session).toMatchObject({ kind: 'remote', state: 'leased' });
    const before = await session.screen.observe();
    expect(before.size).toEqual({ width: 64, height: 48 });
    await session.screen.act({ type: 'click', point });
    expect((await session.screen.observe()).hash).not.toBe(before.hash);
    expect(await session.shell.run('echo out; exit 3')).toMatchObject({ exitCode: 3, stdout: 'out\n' });
    await session.files.write('/home/user/a.txt', 'hello');
    expect(Buffer.from(await session.files.readBytes('/home/user/a.txt')).toString()).toBe('hello');
    const listed = (await session.files.list('/home/user')).entries;
    expect(listed).toEqual([{ path: '/home/user/a.txt', type: 'file' }]);
    await expect(session.remote!.accessibility()).rejects.toEqual(error('bad_input', 'protocol'));
    await expect(session.remote!.launch('xterm')).rejects.toEqual(error('bad_input', 'program'));
    await expect(session.shell.run('pwd', { cwd: '/' })).rejects.toEqual(error('bad_input', 'cwd'));
    expect((await ask('GET', `/v1/sessions/${session.id}/phone/tree`)).status).toBe(400);
    await refusesMachines(session);
    expect((await session.logs()).entries.map(({ text }) => text)).toContain('shell.run');
    await session.release();
    expect(sandbox.sessions).toEqual([]);
  });

  it('is not connected to unless the operator allows it', async () => {
    await expect(client.lease(remote(2))).rejects.toEqual(error('bad_input', 'url'));
    const inward = { ...remote(), url: `${server.url}/` };
    await expect(client.lease(inward as LeaseRequest)).rejects.toEqual(error('bad_input', 'url'));
    const below = { ...remote(), url: `${machines[0]!.peer.url}/other` };
    await expect(client.lease(below as LeaseRequest)).rejects.toEqual(error('bad_input', 'url'));
    const answer = await ask('POST', '/v1/sessions', remote(2));
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toContain('--remotes');
    expect(machines.flatMap(({ peer }) => peer.requests)).toEqual([]);
    const bare = await serveSandbox({ sandbox, tokens: [{ token, scope: 'admin' }] });
    const nothing = new SandboxClient({ url: bare.url, token });
    await expect(nothing.lease(remote())).rejects.toEqual(error('bad_input', 'url'));
    await expect(nothing.lease({ kind: 'phone', serial: 'any' })).rejects.toEqual(error('bad_input', 'serial'));
    await bare.close();
    for (const [field, wrong] of [
      ['remotes', { remotes: ['192.168.1.5'] }],
      ['phones', { phones: [''] }],
    ] as const) {
      const attempt = serveSandbox({ sandbox, tokens: [{ token, scope: 'admin' }], ...wrong });
      await expect(attempt).rejects.toEqual(error('bad_input', field));
    }
  });

  it('is refused with 429 while it is leased', async () => {
    const session = await client.lease(remote());
    const again = await ask('POST', '/v1/sessions', remote());
    expect(again.status).toBe(429);
    expect(await again.json()).toMatchObject({ error: { code: 'infra', field: 'url' } });
    const second = await client.lease(remote(1));
    await session.release();
    await (await client.lease(remote())).release();
    await second.release();
  });

  it('ends its session alone when it goes away within an action', async () => {
    const [session, beside] = [await client.lease(remote()), await client.lease(remote(1))];
    const { peer } = machines[0]!;
    peer.injectFault = () => 'hang';
    const acting = session.screen.act({ type: 'click', point });
    const failed = expect(acting).rejects.toEqual(expect.objectContaining({ code: 'infra' }));
    await expect.poll(() => peer.requests.at(-1)).toMatch(/actions/);
    await peer.close();
    await failed;
    await expect.poll(async () => (await client.sessions()).map(({ id }) => id)).toEqual([beside.id]);
    await expect(session.screen.observe()).rejects.toEqual(expect.objectContaining({ code: 'infra' }));
    expect(session.state).toBe('broken');
    await beside.screen.act({ type: 'click', point });
    await beside.release();
  });

  it('does not end a session by one failure', async () => {
    const session = await client.lease(remote());
    machines[0]!.peer.injectFault = ({ path }) => (path.includes('actions') ? 'drop' : undefined);
    await expect(session.screen.act({ type: 'click', point })).rejects.toEqual(
      expect.objectContaining({ code: 'infra' }),
    );
    machines[0]!.peer.injectFault = () => undefined;
    await session.screen.act({ type: 'click', point });
    await session.release();
  });
});

describe('a phone (a double of one, behind a real adb server), over HTTP', () => {
  beforeEach((context) => {
    if (noAdb !== undefined) context.skip(noAdb);
  });

  const terms = (): LeaseRequest => ({ kind: 'phone', serial: phone!.serial, settle: false, capture: 'png' });

  it('works like any session', async () => {
    const session = await client.lease(terms());
    const before = await session.screen.observe();
    expect(before.size).toEqual({ width: 270, height: 480 });
    await session.screen.act({ type: 'click', point: onButton });
    expect(phone!.device.presses).toBe(1);
    phone!.device.rotation = 1;
    expect((await session.screen.observe()).size).toEqual({ width: 480, height: 270 });
    expect(session.screen.size).toEqual({ width: 480, height: 270 });
    expect(await session.shell.run('echo out; exit 3')).toMatchObject({ exitCode: 3, stdout: 'out\n' });
    await session.files.write('/sdcard/a.txt', 'hello');
    expect(Buffer.from(await session.files.readBytes('/sdcard/a.txt')).toString()).toBe('hello');
    expect((await session.files.list('/sdcard')).entries).toMatchObject([
      { path: '/sdcard/a.txt', type: 'file', size: 5, mode: 0o644 },
    ]);
    await session.phone!.apps.launch('com.example.notes');
    expect(await session.phone!.apps.current()).toMatchObject({ package: 'com.example.notes' });
    expect((await session.phone!.apps.list()).map((app) => app.package)).toContain('org.mozilla.firefox');
    await session.phone!.apps.stop('com.example.notes');
    const [screen] = await session.phone!.tree();
    expect(screen).toMatchObject({ role: expect.any(String), children: expect.any(Array) });
    await expect(session.phone!.apps.launch('no.such.app')).rejects.toEqual(error('bad_input', 'name'));
    await refusesMachines(session);
    await session.release();
  });

  it('is not connected to unless it is allowed, and is leased once', async () => {
    await expect(client.lease({ ...terms(), serial: '10.0.0.1:5555' } as LeaseRequest)).rejects.toEqual(
      error('bad_input', 'serial'),
    );
    await expect(client.lease({ kind: 'phone', serial: 'gone' })).rejects.toEqual(error('infra', 'serial'));
    const session = await client.lease(terms());
    const again = await ask('POST', '/v1/sessions', terms());
    expect(again.status).toBe(429);
    expect(await again.json()).toMatchObject({ error: { code: 'infra', field: 'serial' } });
    await session.release();
    await (await client.lease(terms())).release();
  });

  it('ends its session alone when it is unplugged within an action', async () => {
    const [session, beside] = [await client.lease(terms()), await client.lease(remote())];
    const running = session.shell.run('sleep 60');
    const failed = expect(running).rejects.toEqual(expect.objectContaining({ code: 'infra' }));
    await vi.waitFor(() => expect(phone!.running).toBe(1));
    await phone!.unplug();
    await failed;
    await expect.poll(async () => (await client.sessions()).map(({ id }) => id)).toEqual([beside.id]);
    await expect(session.screen.observe()).rejects.toEqual(expect.objectContaining({ code: 'infra' }));
    await beside.screen.observe();
    await beside.release();
  });
});
