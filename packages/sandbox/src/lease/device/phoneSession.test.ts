import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SandboxEvent } from '../../events/event.js';
import { adbIsInstalled } from '../../phone/adbServer.js';
import { buttonBox } from '../../phone/double/deviceDouble.js';
import { PhoneDouble } from '../../phone/double/phoneDouble.js';
import { plugIn, unplug } from '../../phone/double/pluggedIn.js';
import { freePort, startPrivateServer, type PrivateServer } from '../../phone/double/privateServer.js';
import { listPhones } from '../../phone/phones.js';
import { QuotaReached } from '../quotas.js';
import { Sandbox, type PhoneLease, type SandboxLease } from '../sandbox.js';
import type { WarmTerms } from '../warmTerms.js';

const noAdb = adbIsInstalled() ? undefined : 'adb is not installed: apt-get install adb';

const error = (code: string, field: string) =>
  expect.objectContaining({ code, detail: expect.objectContaining({ field, fix: expect.any(String) }) });

const onButton = { x: buttonBox.x + buttonBox.width / 2, y: buttonBox.y + buttonBox.height / 2 };

let server: PrivateServer;
let double: PhoneDouble;
let sandbox: Sandbox;
let events: SandboxEvent[];

const terms = (serial = double.serial): PhoneLease => ({ kind: 'phone', serial, settle: false, capture: 'png' });

describe('a session of a phone (a double of one, behind a real adb server)', () => {
  beforeAll(async () => {
    if (noAdb !== undefined) return undefined;
    server = await startPrivateServer();
    return () => server.close();
  });
  beforeEach(async (context) => {
    if (noAdb !== undefined) context.skip(noAdb);
    double = await plugIn(server);
    sandbox = await Sandbox.start({ adb: { port: server.port } });
    events = [];
    const heard = sandbox.events();
    void (async () => {
      for await (const event of heard) events.push(event);
    })();
    return async () => {
      await sandbox.close();
      await unplug(server, double);
    };
  });

  it('has the screen, the shell, the files and the apps of the phone', async () => {
    const session = await sandbox.lease(terms());
    expect(session).toMatchObject({ kind: 'phone', state: 'leased' });
    const before = await session.screen.observe();
    expect(before.size).toEqual({ width: 270, height: 480 });
    await session.screen.act({ type: 'click', point: onButton });
    expect(double.device.presses).toBe(1);
    expect((await session.frames().next()).value?.hash).not.toBe(before.hash);
    expect(await session.shell.run('echo out; echo err >&2; exit 3')).toMatchObject({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      timedOut: false,
      truncated: false,
    });
    const much = await session.shell.run('printf 12345', { maxOutput: 2 });
    expect(much).toMatchObject({ stdout: '12', truncated: true, leftOut: { stdout: 3, stderr: 0 } });
    await session.files.write('/sdcard/Download/more/a.txt', 'hello');
    expect(Buffer.from(await session.files.readBytes('/sdcard/Download/more/a.txt')).toString()).toBe('hello');
    const folder = { path: '/sdcard/Download/more', type: 'folder', size: 0 };
    expect((await session.files.list('/sdcard/Download')).entries).toEqual([expect.objectContaining(folder)]);
    const file = { path: '/sdcard/Download/more/a.txt', type: 'file', size: 5, mode: 0o644, modified: new Date(1_000) };
    expect((await session.files.list('/sdcard/Download/more/')).entries).toEqual([file]);
    await expect(session.files.list('/nowhere')).rejects.toEqual(error('bad_input', 'path'));
    await session.phone.apps.launch('com.example.notes');
    expect(await session.phone.apps.current()).toMatchObject({ package: 'com.example.notes' });
    expect(await session.phone.tree()).not.toEqual([]);
    await session.screen.act({ type: 'type', text: 'secret' });
    const logged = session.logs().entries.map(({ text }) => text);
    expect(logged).toEqual(expect.arrayContaining(['click', 'type', 'shell.run', 'phone.apps.launch', 'phone.tree']));
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  it('lists folders of a phone without the newer list protocol', async () => {
    const old = await plugIn(server, { features: [] });
    const session = await sandbox.lease(terms(old.serial));
    await session.files.write('/sdcard/a.txt', 'hello');
    expect((await session.files.list('/sdcard')).entries).toMatchObject([
      { path: '/sdcard/a.txt', type: 'file', size: 5 },
    ]);
    await session.release();
    await unplug(server, old);
  });

  it('is leased to one at a time, and given back', async () => {
    const session = await sandbox.lease(terms());
    await expect(sandbox.lease(terms())).rejects.toEqual(error('infra', 'serial'));
    await expect(sandbox.lease({ ...terms(), waitMs: 20 })).rejects.toBeInstanceOf(QuotaReached);
    const next = sandbox.lease({ ...terms(), waitMs: 30_000 });
    await session.release();
    expect(session.state).toBe('released');
    expect(() => session.screen.observe()).toThrow(expect.objectContaining({ code: 'infra' }));
    expect(() => session.phone.apps.list()).toThrow(expect.objectContaining({ code: 'infra' }));
    const second = await next;
    await second.screen.observe();
    await second.release();
    await vi.waitFor(() => expect(events.at(-1)?.type).toBe('session.ended'));
    expect(events.map(({ type }) => type)).toEqual([
      'session.created',
      'quota.reached',
      'quota.reached',
      'session.ended',
      'session.created',
      'session.ended',
    ]);
    expect(events[0]).toMatchObject({ kind: 'phone', session: session.id, warm: false });
    expect(events[1]).toMatchObject({ kind: 'phone', limit: 'serial' });
  });

  it('is released when a lease fails', async () => {
    await expect(sandbox.lease({ ...terms(), settle: { stableReads: 0 } })).rejects.toEqual(
      error('bad_input', 'settle.stableReads'),
    );
    expect((await sandbox.lease(terms())).state).toBe('leased');
  });

  it('connects to an address that adb does not know, and leaves it again', async () => {
    const far = await PhoneDouble.start();
    const serials = async () => (await listPhones({ port: server.port })).map(({ serial }) => serial);
    const session = await sandbox.lease(terms(far.serial));
    await session.screen.act({ type: 'click', point: onButton });
    expect(far.device.presses).toBe(1);
    expect(await serials()).toContain(far.serial);
    await session.release();
    expect(await serials()).toEqual([double.serial]);
    await far.close();
    await expect(sandbox.lease(terms(`127.0.0.1:${await freePort()}`))).rejects.toEqual(error('infra', 'serial'));
    expect(await serials()).toEqual([double.serial]);
  });

  it('ends alone when it is unplugged, also within an action', async () => {
    const second = await plugIn(server);
    const [session, beside] = [await sandbox.lease(terms()), await sandbox.lease(terms(second.serial))];
    const acting = expect(session.screen.act({ type: 'wait', seconds: 60 })).rejects.toEqual(
      expect.objectContaining({ code: 'infra' }),
    );
    const running = session.shell.run('sleep 60');
    const failed = expect(running).rejects.toEqual(error('infra', 'serial'));
    await vi.waitFor(() => expect(double.running).toBe(1));
    await double.unplug();
    expect(await session.broken).toEqual(error('infra', 'serial'));
    await failed;
    expect(session.state).toBe('broken');
    expect(() => session.screen.observe()).toThrow(error('infra', 'serial'));
    await beside.screen.act({ type: 'click', point: onButton });
    expect(second.device.presses).toBe(1);
    expect(sandbox.sessions).toEqual([beside]);
    await vi.waitFor(() => expect(events.map(({ type }) => type)).toContain('machine.died'));
    await acting;
    await session.ended;
    await vi.waitFor(() => expect(events.at(-1)).toMatchObject({ type: 'session.ended', reason: 'machine' }));
    await beside.release();
    await unplug(server, second);
  });

  it('ends when it is not used', async () => {
    const session = await sandbox.lease({ ...terms(), ttlMs: 1 });
    expect(await session.broken).toEqual(error('infra', 'ttlMs'));
    await session.ended;
    expect((await sandbox.lease(terms())).state).toBe('leased');
  });

  it('refuses unsupported requests, and continues', async () => {
    const strange = (more: object) => ({ ...terms(), ...more }) as unknown as SandboxLease;
    await expect(sandbox.lease(strange({ serial: undefined }))).rejects.toEqual(error('bad_input', 'serial'));
    await expect(sandbox.lease(strange({ serial: 'a b' }))).rejects.toEqual(error('bad_input', 'serial'));
    await expect(sandbox.lease(strange({ network: 'none' }))).rejects.toEqual(error('bad_input', 'network'));
    await expect(sandbox.lease(strange({ size: { width: 1, height: 1 } }))).rejects.toEqual(error('bad_input', 'size'));
    await expect(sandbox.lease(strange({ serial: 'nobody' }))).rejects.toEqual(error('infra', 'serial'));
    const warm = [{ ...terms(), count: 1 } as unknown as WarmTerms];
    await expect(Sandbox.start({ warm })).rejects.toEqual(error('bad_input', 'warm.kind'));
    const session = await sandbox.lease(terms());
    await expect(session.screen.act({ type: 'mouse_down' })).rejects.toEqual(
      expect.objectContaining({ code: 'bad_input' }),
    );
    const cwd = { cwd: '/sdcard' } as object;
    await expect(session.shell.run('pwd', cwd)).rejects.toEqual(error('bad_input', 'cwd'));
    await expect(session.shell.run('pwd', { timeoutMs: 0 })).rejects.toEqual(error('bad_input', 'timeoutMs'));
    await expect(session.files.list('Download')).rejects.toEqual(error('bad_input', 'path'));
    expect(session.state).toBe('leased');
  });
});
