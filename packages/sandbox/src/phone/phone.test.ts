import type { KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { adbIsInstalled } from './adbServer.js';
import { buttonBox } from './double/deviceDouble.js';
import { PhoneDouble, type PhoneDoubleOptions } from './double/phoneDouble.js';
import { plugIn as plugInto, unplug as unplugFrom } from './double/pluggedIn.js';
import { freePort, startPrivateServer, type PrivateServer } from './double/privateServer.js';
import { touchColour } from './double/screenDouble.js';
import { Phone, type PhoneOptions } from './phone.js';
import { listPhones } from './phones.js';

const noAdb = adbIsInstalled() ? undefined : 'adb is not installed: apt-get install adb';

const error = (code: string, field: string) =>
  expect.objectContaining({ code, detail: expect.objectContaining({ field, fix: expect.any(String) }) });

let server: PrivateServer;
let double: PhoneDouble;
let phone: Phone;

const patience = { timeout: 10_000, interval: 10 };

const onButton = { x: buttonBox.x + buttonBox.width / 2, y: buttonBox.y + buttonBox.height / 2 };

const plugIn = (options: PhoneDoubleOptions = {}) => plugInto(server, options);
const unplug = (plugged: PhoneDouble) => unplugFrom(server, plugged);

const connect = (options: PhoneOptions = {}) =>
  Phone.connect({ port: server.port, serial: double.serial, settle: false, capture: 'png', ...options });

async function touchIn(png: Uint8Array): Promise<{ x: number; y: number }> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const [xs, ys]: [number[], number[]] = [[], []];
  for (let pixel = 0; pixel < info.width * info.height; pixel++) {
    if (!touchColour.every((value, channel) => data[pixel * 3 + channel] === value)) continue;
    xs.push(pixel % info.width);
    ys.push(Math.floor(pixel / info.width));
  }
  const middle = (values: number[]) => (Math.min(...values) + Math.max(...values)) / 2;
  return { x: middle(xs) / info.width, y: middle(ys) / info.height };
}

const calls = (program: string) =>
  double.device.log.filter(([name]) => name === program).map((words) => words.slice(1));

describe('a phone (a double of one, behind a real adb server)', () => {
  beforeAll(async () => {
    if (noAdb !== undefined) return undefined;
    server = await startPrivateServer();
    return () => server.close();
  });
  beforeEach(async (context) => {
    if (noAdb !== undefined) context.skip(noAdb);
    double = await plugIn();
    phone = await connect();
    return async () => {
      await phone.close();
      await unplug(double);
    };
  });

  it('shows its screen, as a picture and raw, and the same picture twice', async () => {
    const frame = await phone.observe();
    expect(frame.size).toEqual({ width: 270, height: 480 });
    expect(await sharp(frame.png).metadata()).toMatchObject({ width: 270, height: 480, format: 'png' });
    expect((await phone.observe()).hash).toBe(frame.hash);
    const raw = await connect({ capture: 'raw' });
    expect((await raw.observe()).size).toEqual(frame.size);
    const pixels = Buffer.from(await phone.pixels());
    expect(pixels).toHaveLength(270 * 480 * 3);
    expect(pixels.equals(await raw.pixels())).toBe(true);
    await raw.close();
    const faster = await connect({ capture: undefined });
    await faster.observe();
    expect(pixels.equals(await faster.pixels())).toBe(true);
    await faster.close();
  });

  it('is touched where the point is, also when it is turned and its size was set', async () => {
    const before = (await phone.observe()).hash;
    await phone.act({ type: 'click', point: onButton });
    expect(double.device.presses).toBe(1);
    const upright = await phone.observe();
    expect(upright.hash).not.toBe(before);
    for (const [rotation, old] of [
      [1, false],
      [3, true],
      [2, false],
      [0, true],
    ] as const) {
      Object.assign(double.device, { rotation, old, override: { width: 200, height: 300 } });
      await phone.act({ type: 'click', point: { x: 0.8, y: 0.3 } });
      const { png, size } = await phone.observe();
      expect(size).toEqual(rotation % 2 === 0 ? { width: 200, height: 300 } : { width: 300, height: 200 });
      expect(phone.size).toEqual(size);
      expect(await phone.geometry()).toEqual({ rotation, size });
      const touch = await touchIn(png);
      expect(touch.x).toBeCloseTo(0.8, 1);
      expect(touch.y).toBeCloseTo(0.3, 1);
    }
  });

  it('takes every gesture, key and app of the protocol', async () => {
    await phone.act({ type: 'double_click', point: onButton });
    expect(double.device.presses).toBe(2);
    await phone.act({ type: 'long_press', point: { x: 0.1, y: 0.1 } });
    await phone.act({ type: 'drag', start: { x: 0.1, y: 0.9 }, end: { x: 0.1, y: 0.1 } });
    await phone.act({ type: 'swipe', start: { x: 0.9, y: 0.1 }, end: { x: 0.1, y: 0.1 } });
    await phone.act({ type: 'scroll', direction: 'down' });
    expect(calls('input').slice(2)).toEqual([
      ['swipe', '27', '48', '27', '48', '800'],
      ['swipe', '27', '432', '27', '48', '1000'],
      ['swipe', '243', '48', '27', '48', '300'],
      ['swipe', '135', '240', '135', '28', '600'],
    ]);
    await phone.act({ type: 'hotkey', keys: 'volume_up' });
    expect(double.device.volume).toBe(6);
    await phone.act({ type: 'open_app', name: 'Settings' });
    expect(await phone.apps.current()).toEqual({
      package: 'com.android.settings',
      activity: 'com.android.settings.Settings',
    });
    await phone.act({ type: 'press_home' });
    expect((await phone.apps.current())?.package).toBe('com.example.launcher');
    await phone.act({ type: 'press_back' });
    expect(calls('input').at(-1)).toEqual(['keyevent', '4']);
    await phone.act({ type: 'navigate', url: "example.org/a'b?c=$(reboot)&d=`e`" });
    expect(double.device).toMatchObject({
      app: 'org.mozilla.firefox',
      typed: "https://example.org/a'b?c=$(reboot)&d=`e`",
    });
    const done = double.device.log.length;
    for (const type of ['screenshot', 'finished', 'call_user'] as const) await phone.act({ type });
    expect(double.device.log).toHaveLength(done);
  });

  it('refuses unsupported actions without effect', async () => {
    const before = await phone.observe();
    const done = double.device.log.length;
    await expect(phone.act({ type: 'right_click', point: onButton })).rejects.toEqual(error('bad_input', 'type'));
    await expect(phone.act({ type: 'press', key: 'a' })).rejects.toEqual(error('bad_input', 'type'));
    await expect(phone.act({ type: 'type', text: 'a\0b' })).rejects.toEqual(error('bad_input', 'text'));
    expect(double.device.log).toHaveLength(done);
    await expect(phone.act({ type: 'hotkey', keys: 'ctrl c' })).rejects.toEqual(error('bad_input', 'keys'));
    await expect(phone.act({ type: 'open_app', name: 'notes' })).rejects.toEqual(error('bad_input', 'name'));
    await expect(phone.act({ type: 'type', text: 'grün' })).rejects.toEqual(error('bad_input', 'text'));
    expect(double.device.typed).toBe('');
    expect((await phone.observe()).hash).toBe(before.hash);
  });

  it('types any ASCII as it is, whatever a shell would make of it', async () => {
    const blank = await phone.observe();
    const typed = async (text: string) => {
      double.device.typed = '';
      await phone.act({ type: 'type', text });
      return double.device.typed;
    };
    const nasty = `'; touch /tmp/gyre-was-here; $(reboot) \`id\` "%s" %%ss 100% \\ * ~ & | > # -n\n\tend `;
    expect(await typed(nasty)).toBe(nasty);
    expect((await phone.observe()).hash).not.toBe(blank.hash);
    expect(await typed('x'.repeat(4_000))).toBe('x'.repeat(4_000));
    const ascii = fc.string({
      unit: fc.constantFrom(
        ...Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)),
        '\n',
        '%',
        's',
        "'",
      ),
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(ascii, async (text) => {
        expect(await typed(text)).toBe(text);
      }),
      { seed: 2, numRuns: 15 },
    );
  });

  it('types other characters by ADBKeyBoard where that is installed, and gives the keyboard back', async () => {
    const { keyboard } = double.device;
    double.device.installKeyboard();
    await phone.act({ type: 'type', text: 'grün 漢字 😀\n%s' });
    expect(double.device.typed).toBe('grün 漢字 😀\n%s');
    expect(double.device.keyboard).not.toBe(keyboard);
    await phone.close();
    expect(double.device.keyboard).toBe(keyboard);
  });

  it('returns its accessibility tree', async () => {
    await phone.act({ type: 'click', point: onButton });
    await phone.act({ type: 'type', text: '<b> & "c"' });
    const [screen] = await phone.tree();
    expect(screen!.children).toMatchObject([
      { role: 'text field', text: '<b> & "c"', states: ['clickable', 'focused'] },
      { role: 'button', text: 'Pressed 1', package: 'com.example.launcher' },
    ]);
    const { x, y, width, height } = screen!.children[1]!.box;
    await phone.act({ type: 'click', point: { x: x + width / 2, y: y + height / 2 } });
    expect(double.device.presses).toBe(2);
    expect(double.device.files.paths).toEqual([]);
  });

  it('lists, starts, stops and installs apps', async () => {
    expect((await phone.apps.list()).map((app) => app.package)).toEqual([
      'com.android.settings',
      'com.example.launcher',
      'com.example.notes',
      'com.example.notes.pro',
      'org.mozilla.firefox',
    ]);
    await phone.apps.launch('com.example.notes');
    expect(await phone.apps.current()).toEqual({ package: 'com.example.notes', activity: 'com.example.notes.Main' });
    await phone.apps.stop('com.example.notes');
    expect((await phone.apps.current())?.package).toBe('com.example.launcher');
    await expect(phone.apps.stop('x; reboot')).rejects.toEqual(error('bad_input', 'name'));
    const folder = await mkdtemp(join(tmpdir(), 'gyre-test-'));
    try {
      await writeFile(join(folder, 'whole.apk'), 'PKcom.example.added');
      await writeFile(join(folder, 'broken.apk'), 'no zip');
      await phone.apps.install(join(folder, 'whole.apk'));
      expect((await phone.apps.list()).map((app) => app.package)).toContain('com.example.added');
      await expect(phone.apps.install(join(folder, 'broken.apk'))).rejects.toThrow('INSTALL_PARSE_FAILED_NOT_APK');
      await expect(phone.apps.install(join(folder, 'none.apk'))).rejects.toEqual(error('bad_input', 'file'));
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(double.device.files.paths).toEqual([]);
  });

  it('runs commands: both outputs, the status, bounds of time and size', async () => {
    expect(await phone.run(`echo 'a  b'; echo c >&2; exit 3`)).toEqual({
      stdout: 'a  b\n',
      stderr: 'c\n',
      exitCode: 3,
      timedOut: false,
      truncated: false,
      leftOut: { stdout: 0, stderr: 0 },
    });
    expect(await phone.run('echo begun; sleep 20', { timeoutMs: 800 })).toMatchObject({
      stdout: 'begun\n',
      exitCode: null,
      timedOut: true,
    });
    await vi.waitFor(() => expect(double.running).toBe(0), patience);
    const much = await phone.run('yes | head -c 2000000', { maxOutput: 1_000 });
    expect(much).toMatchObject({ exitCode: 0, truncated: true });
    expect(much.stdout).toHaveLength(1_000);
    await expect(phone.run('x'.repeat(70_000))).rejects.toEqual(error('bad_input', 'command'));
    expect((await phone.run('echo still there')).stdout).toBe('still there\n');
  });

  it('transfers files by the old and the new protocol', async () => {
    const bytes = Buffer.alloc(1_000_000, 'some bytes ');
    await phone.push('/sdcard/Download/a, b.bin', bytes, 0o600);
    expect(Buffer.from(await phone.pull('/sdcard/Download/a, b.bin')).equals(bytes)).toBe(true);
    expect(double.device.files.read('/sdcard/Download/a, b.bin')?.mode).toBe(0o600);
    await phone.push('/sdcard/empty', new Uint8Array());
    expect(await phone.pull('/sdcard/empty')).toHaveLength(0);
    await expect(phone.pull('/sdcard/none')).rejects.toEqual(error('bad_input', 'path'));
    await expect(phone.push('/system/a', bytes)).rejects.toEqual(error('bad_input', 'path'));
    await expect(phone.pull('relative')).rejects.toEqual(error('bad_input', 'path'));
    const second = await plugIn({ features: ['fixed_push_mkdir'] });
    try {
      const old = await connect({ serial: second.serial });
      await old.push('/sdcard/a,b', Buffer.from('by the first version'));
      expect(Buffer.from(await old.pull('/sdcard/a,b')).toString()).toBe('by the first version');
      await old.close();
    } finally {
      await unplug(second);
    }
  });

  it('waits for a late answer, but not after a prompt one', async () => {
    const patient = await connect({ settle: { firstChangeMs: 100_000, boundMs: 100_000, gapMs: 1 } });
    for (const answersAfterMs of [0, 400]) {
      Object.assign(double.device, { answersAfterMs, typed: '' });
      const before = await phone.observe();
      await patient.act({ type: 'type', text: `${answersAfterMs}` });
      expect((await phone.observe()).hash).not.toBe(before.hash);
    }
    await patient.close();
  });

  it('waits until the screen settles, within limits, unless disabled', async () => {
    double.device.movesForMs = 300;
    const settled = await connect({ settle: { gapMs: 10 } });
    await settled.act({ type: 'click', point: onButton });
    const after = await settled.observe();
    expect(double.device.screen.moving).toBe(0);
    expect((await settled.observe()).hash).toBe(after.hash);
    double.device.movesForMs = 1_000_000;
    const bounded = await connect({ settle: { boundMs: 100 } });
    await bounded.act({ type: 'click', point: onButton });
    await phone.act({ type: 'click', point: onButton });
    expect(double.device.screen.moving).toBeGreaterThan(0);
    expect(double.device.presses).toBe(3);
    await settled.close();
    await bounded.close();
    await expect(connect({ settle: { stableReads: 0 } })).rejects.toEqual(error('bad_input', 'settle.stableReads'));
  });

  it('ends with infra when it is unplugged, also within a command', async () => {
    const running = phone.run('sleep 20');
    const failed = expect(running).rejects.toEqual(error('infra', 'serial'));
    await phone.run('true');
    await double.unplug();
    await phone.ended;
    await failed;
    await expect(phone.observe()).rejects.toEqual(error('infra', 'serial'));
    await expect(phone.act({ type: 'press_home' })).rejects.toEqual(error('infra', 'serial'));
    await expect(connect()).rejects.toEqual(error('infra', 'serial'));
    expect(await listPhones({ port: server.port })).toEqual([
      { serial: double.serial, state: 'offline', model: expect.anything(), fix: expect.stringContaining('reconnect') },
    ]);
  });

  it('answers nothing once it was closed, and leaves no connection open', async () => {
    const connections = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    await vi.waitFor(() => expect(connections()).toBe(2), patience);
    const second = await connect();
    for (let look = 0; look < 5; look++) await second.observe();
    await second.run('true');
    await second.close();
    await vi.waitFor(() => expect(connections()).toBe(2), patience);
    await phone.close();
    await phone.ended;
    await expect(phone.observe()).rejects.toEqual(error('infra', 'phone'));
    await expect(phone.run('true')).rejects.toEqual(error('infra', 'phone'));
    await phone.close();
  });

  it('knows a computer again by its signature, without asking its user', async () => {
    const keys: KeyObject[] = [];
    await unplug(await plugIn({ keys }));
    expect(keys).toHaveLength(1);
    const again = await plugIn({ keys, allows: false });
    try {
      const known = await connect({ serial: again.serial });
      expect((await known.run('echo hello')).stdout).toBe('hello\n');
      await known.close();
    } finally {
      await unplug(again);
    }
  });

  it('is chosen by its serial, and must be authorised and connected', async () => {
    expect(await listPhones({ port: server.port })).toEqual([
      { serial: double.serial, state: 'device', model: 'Gyre_Double', fix: '' },
    ]);
    const second = await plugIn({ allows: false });
    try {
      const alone = await connect({ serial: undefined });
      expect(alone.serial).toBe(double.serial);
      await alone.close();
      const listed = await listPhones({ port: server.port });
      expect(listed.find(({ serial }) => serial === second.serial)).toMatchObject({ state: 'unauthorized' });
      await expect(connect({ serial: second.serial })).rejects.toEqual(error('infra', 'serial'));
      await expect(connect({ serial: 'nobody' })).rejects.toEqual(error('infra', 'serial'));
      const third = await plugIn();
      try {
        await expect(connect({ serial: undefined })).rejects.toEqual(error('bad_input', 'serial'));
      } finally {
        await unplug(third);
      }
    } finally {
      await unplug(second);
    }
  });
});

describe('an adb server', () => {
  it('that is not there is one clear error', async () => {
    const port = await freePort();
    const code = noAdb === undefined ? 'infra' : 'missing';
    await expect(listPhones({ port })).rejects.toEqual(error(code, 'port'));
    await expect(Phone.connect({ port })).rejects.toEqual(error(code, 'port'));
    await expect(listPhones({ port: 0 })).rejects.toEqual(error('bad_input', 'port'));
  });

  it('that dies ends its phones', async (context) => {
    if (noAdb !== undefined) context.skip(noAdb);
    const privateServer = await startPrivateServer();
    const plugged = await PhoneDouble.start();
    try {
      await privateServer.adb('connect', plugged.serial);
      await privateServer.adb('-s', plugged.serial, 'wait-for-device');
      const connected = await Phone.connect({ port: privateServer.port, settle: false });
      await privateServer.kill();
      await connected.ended;
      await expect(connected.observe()).rejects.toEqual(error('infra', 'serial'));
      await connected.close();
      await expect(Phone.connect({ port: privateServer.port })).rejects.toEqual(error('infra', 'port'));
    } finally {
      await privateServer.close();
      await plugged.close();
    }
  });

  it('is started where that is asked for', async (context) => {
    if (noAdb !== undefined) context.skip(noAdb);
    const privateServer = await startPrivateServer();
    await privateServer.kill();
    try {
      expect(await listPhones({ port: privateServer.port, startServer: true })).toEqual([]);
      await privateServer.adb('kill-server');
      await expect(listPhones({ port: privateServer.port })).rejects.toEqual(error('infra', 'port'));
    } finally {
      await privateServer.close();
    }
  });
});
