import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { XConnection } from './connection.js';
import { Desktop, type DesktopOptions } from './desktop.js';
import { missingForDesktop } from './requirement.js';

const size = { width: 320, height: 240 };
const missing = missingForDesktop().map(({ debian }) => debian);
const middle = { x: 0.5, y: 0.5 };

const socketOf = ({ env }: Desktop) => `/tmp/.X11-unix/X${env.DISPLAY!.slice(1)}`;
const lockOf = ({ env }: Desktop) => `/tmp/.X${env.DISPLAY!.slice(1)}-lock`;

function processesWith(words: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(words);
    } catch {
      return false;
    }
  });
}

const existsLink = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const programsOf = ({ env }: Desktop) => processesWith(`DISPLAY=${env.DISPLAY}\0`);

const serverOf = (desktop: Desktop) => Number(readFileSync(lockOf(desktop), 'utf8'));

describe.skipIf(missing.length > 0)(`a desktop${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`, () => {
  let enclosure: BareEnclosure;
  beforeAll(async () => {
    enclosure = await BareEnclosure.create();
  });
  afterAll(() => enclosure.close());

  const start = (options?: DesktopOptions) => Desktop.start(enclosure, { size, ...options });

  describe('that runs', () => {
    let desktop: Desktop;
    beforeAll(async () => {
      desktop = await start();
    });
    afterAll(() => desktop.close());

    it('shows a frame of its size, named by its content', async () => {
      const { png, hash, size: frameSize } = await desktop.observe();
      expect(frameSize).toEqual(size);
      expect(hash).toBe(createHash('sha256').update(png).digest('hex'));
      const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
      expect(info).toMatchObject({ ...size, channels: 3 });
      expect(Buffer.compare(data, await desktop.pixels())).toBe(0);
      const bgrx = new Uint8Array(size.width * size.height * 4);
      expect(await desktop.pixels('bgrx', bgrx)).toBe(bgrx);
      await expect(desktop.pixels('rgb', bgrx)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'into' } });
      expect([...bgrx.subarray(0, 3)]).toEqual([0x66, 0x53, 0x3b]);
      expect([...data.subarray(0, 3)]).toEqual([0x3b, 0x53, 0x66]);
      expect(await desktop.observe()).toEqual({ png, hash, size });
    });

    it('shows the effect of an action once the action is over', async () => {
      const before = await desktop.observe();
      await desktop.act({ type: 'right_click', point: middle });
      const menu = await desktop.observe();
      expect(menu.hash).not.toBe(before.hash);
      await desktop.act({ type: 'hotkey', keys: 'escape' });
      expect((await desktop.observe()).hash).not.toBe(menu.hash);
    });

    it('does nothing for actions that only look', async () => {
      const before = await desktop.observe();
      for (const type of ['screenshot', 'finished', 'call_user'] as const) await desktop.act({ type });
      expect((await desktop.observe()).hash).toBe(before.hash);
    });

    it('waits as long as it is told', async () => {
      const begin = performance.now();
      await desktop.act({ type: 'wait', seconds: 0.2 });
      expect(performance.now() - begin).toBeGreaterThanOrEqual(195);
    });

    it('gives watchers only frames that differ', async () => {
      const hashes: string[] = [];
      const watching = (async () => {
        for await (const { hash } of desktop.frames({ perSecond: 100 })) if (hashes.push(hash) === 3) break;
      })();
      while (hashes.length === 0) await desktop.act({ type: 'wait', seconds: 0.01 });
      for (let step = 0; hashes.length < 3; step++) {
        await desktop.act({ type: 'mouse_move', point: { x: (step % 9) / 10, y: 0.2 } });
        await desktop.act({ type: 'wait', seconds: 0.05 });
      }
      await watching;
      for (let index = 1; index < hashes.length; index++) expect(hashes[index]).not.toBe(hashes[index - 1]);
      await expect(desktop.frames({ perSecond: 0 }).next()).rejects.toMatchObject({ code: 'bad_input' });
    });

    it('refuses X clients without the cookie', async () => {
      const cookie = readFileSync(desktop.env.XAUTHORITY!).subarray(-16);
      await expect(XConnection.open(socketOf(desktop), Buffer.alloc(16))).rejects.toMatchObject({ code: 'infra' });
      (await XConnection.open(socketOf(desktop), cookie)).close();
    });
  });

  it('captures no frames without watchers, and shows frames to watchers', async () => {
    const desktop = await start({ pictures: false });
    const { png, size: frameSize } = await desktop.observe();
    expect({ bytes: png.length, shown: frameSize }).toEqual({ bytes: 0, shown: size });
    await desktop.act({ type: 'right_click', point: middle });
    expect((await desktop.look()).frame.png.length).toBeGreaterThan(0);
    await desktop.close();
  });

  it('leaves nothing behind when it is closed', async () => {
    const desktop = await start();
    await desktop.launch('xterm', ['-e', 'setsid sleep 1000 & sleep 1000']);
    await desktop.waitForWindow(({ program }) => program === 'XTerm');
    await desktop.launch('mousepad');
    await desktop.waitForWindow(({ program }) => program === 'Mousepad');
    const server = serverOf(desktop);
    expect(existsSync(`/proc/${server}`)).toBe(true);
    expect(programsOf(desktop).length).toBeGreaterThan(4);
    await Promise.all([desktop.close(), desktop.close()]);
    await desktop.ended;
    expect(programsOf(desktop)).toEqual([]);
    expect(existsSync(`/proc/${server}`)).toBe(false);
    expect([socketOf(desktop), lockOf(desktop)].filter(existsLink)).toEqual([]);
    expect(readdirSync(enclosure.homeOnHost).filter((name) => name.startsWith('.desktop-'))).toEqual([]);
    await expect(desktop.observe()).rejects.toMatchObject({ code: 'infra' });
  });

  it('fails as infrastructure when its X server is killed', async () => {
    const desktop = await start();
    const iterator = desktop.frames({ perSecond: 50 });
    await iterator.next();
    process.kill(serverOf(desktop), 'SIGKILL');
    await desktop.ended;
    const infra = { code: 'infra' };
    await expect(desktop.observe()).rejects.toMatchObject(infra);
    await expect(desktop.pixels()).rejects.toMatchObject(infra);
    await expect(desktop.act({ type: 'click', point: middle })).rejects.toMatchObject(infra);
    await expect(desktop.windows()).rejects.toMatchObject(infra);
    await expect(desktop.launch('xterm')).rejects.toMatchObject(infra);
    await expect(desktop.readClipboard()).rejects.toMatchObject(infra);
    await expect(desktop.accessibility()).rejects.toMatchObject(infra);
    await expect(iterator.next()).rejects.toMatchObject(infra);
    await desktop.close();
    expect([socketOf(desktop), lockOf(desktop)].filter(existsLink)).toEqual([]);
  });

  it('fails as infrastructure when its X server is killed in the middle of an action', async () => {
    const desktop = await start({ windowManager: false, accessibility: false });
    const waiting = desktop.act({ type: 'drag', start: { x: 0, y: 0 }, end: middle });
    process.kill(serverOf(desktop), 'SIGKILL');
    await expect(waiting).rejects.toMatchObject({ code: 'infra' });
    await desktop.close();
  });

  it('does not wait for what is under way when it is closed', async () => {
    const desktop = await start({ windowManager: false, accessibility: false });
    const waiting = desktop.act({ type: 'wait', seconds: 60 });
    const failure = expect(waiting).rejects.toMatchObject({ code: 'infra' });
    await Promise.resolve();
    await desktop.close();
    await failure;
  });

  it('ends with the process that started it, however that ends', async () => {
    const program = `
      import { BareEnclosure } from '${new URL('../isolation/bareEnclosure.js', import.meta.url).href}';
      import { Desktop } from '${new URL('./desktop.js', import.meta.url).href}';
      const enclosure = await BareEnclosure.create();
      const desktop = await Desktop.start(enclosure);
      await desktop.launch('xterm');
      await desktop.waitForWindow(({ program }) => program === 'XTerm');
      console.log(desktop.env.DISPLAY + ' ' + enclosure.home);
      setInterval(() => undefined, 1_000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const message = await new Promise<string>((resolve) =>
      owner.stdout.once('data', (data: Buffer) => resolve(data.toString())),
    );
    const [display = '', home = ''] = message.trim().split(' ');
    const there = () =>
      [`/tmp/.X11-unix/X${display.slice(1)}`, `/tmp/.X${display.slice(1)}-lock`].filter((path) => existsLink(path));
    expect(there()).toHaveLength(2);
    expect(processesWith(`DISPLAY=${display}\0`).length).toBeGreaterThan(2);
    owner.kill('SIGKILL');
    await expect.poll(() => [...there(), ...processesWith(`DISPLAY=${display}\0`)], { timeout: 8_000 }).toEqual([]);
    rmSync(home, { recursive: true });
  });

  it('has a screen of its own, whatever others do', async () => {
    const desktops = await Promise.all([1, 2, 3].map(() => start({ accessibility: false })));
    expect(new Set(desktops.map(({ env }) => env.DISPLAY)).size).toBe(3);
    const before = await desktops[1]!.observe();
    await desktops[0]!.act({ type: 'right_click', point: middle });
    expect((await desktops[1]!.observe()).hash).toBe(before.hash);
    expect((await desktops[0]!.observe()).hash).not.toBe(before.hash);
    await Promise.all(desktops.map((desktop) => desktop.close()));
  });

  it.each([
    [{ size: { width: 0, height: 10 } }, 'size'],
    [{ size: { width: 10.5, height: 10 } }, 'size'],
    [{ size: { width: 100_000, height: 10 } }, 'size'],
    [{ settle: { boundMs: Number.NaN } }, 'settle.boundMs'],
  ] as [DesktopOptions, string][])('refuses %j', async (options, field) => {
    await expect(Desktop.start(enclosure, options)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
    expect(readdirSync(enclosure.homeOnHost).filter((name) => name.startsWith('.desktop-'))).toEqual([]);
  });
});
