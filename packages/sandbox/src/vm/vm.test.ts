import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { guestImage, heard, plain, whyNot } from './guest.test.support.js';
import { checkVmRequirements, missingForVm } from './requirement.js';
import { Vm, type VmOptions } from './vm.js';

describe.skipIf(whyNot !== '')(`a virtual machine${whyNot}`, { timeout: 60_000 }, () => {
  let image: Awaited<ReturnType<typeof guestImage>>;
  let enclosure: BareEnclosure;
  let vm: Vm;
  const start = async (options: Partial<VmOptions> = {}) => {
    const started = await Vm.start(enclosure, { image: image.path, ...plain, ...options });
    await heard(started, /R/);
    return started;
  };

  beforeAll(async () => {
    image = await guestImage();
    enclosure = await BareEnclosure.create();
    vm = await start();
  }, 60_000);
  afterAll(async () => {
    await vm.close();
    expect(await readdir(enclosure.home)).toEqual([]);
    await enclosure.close();
    await image.remove();
  });

  it('shows what is typed, in capitals and signs too, and hears the keys of a hotkey', async () => {
    const before = await vm.observe();
    expect(before.size).toEqual({ width: 640, height: 400 });
    await vm.act({ type: 'type', text: 'Say: "a+b" ~ {1}\\\n' });
    expect(await heard(vm, /\r/)).toBe('Say: "a+b" ~ {1}\\\r');
    const after = await vm.observe();
    expect(after.hash).not.toBe(before.hash);
    expect((await vm.observe()).hash).toBe(after.hash);
    await vm.act({ type: 'hotkey', keys: 'ctrl c' });
    expect(await heard(vm, /./s)).toBe('\x03');
    await vm.act({ type: 'press', key: 'shift' });
    await vm.act({ type: 'hotkey', keys: 'a' });
    await vm.act({ type: 'release', key: 'shift' });
    await vm.act({ type: 'hotkey', keys: 'a' });
    expect(await heard(vm, /a/)).toBe('Aa');
  });

  it('takes the pointer in fractions of its screen', async () => {
    await vm.act({ type: 'click', point: { x: 0.75, y: 0.25 } });
    const dump = await heard(vm, /\n0020.{12}\.\n0000.{12}\./);
    const events = [...dump.matchAll(/\n(.{4})(.{4})(.{4})(.{4})\./g)].map((match) =>
      match.slice(1).map((digits) => parseInt(digits, 16)),
    );
    const [down] = events.filter(([buttons]) => buttons === 0x20);
    // The centre of pixel 480, 100 of 640 x 400.
    expect(down![1]! / 2 ** 16).toBeCloseTo(480.5 / 640, 3);
    expect(down![2]! / 2 ** 16).toBeCloseTo(100.5 / 400, 3);
    expect(events.at(-1)![0]).toBe(0);
    const pixels = await vm.pixels();
    const pixel = (x: number, y: number) => [...pixels.slice((y * 640 + x) * 3, (y * 640 + x) * 3 + 3)];
    // Guest pixels are two by two; the last dot had the button up.
    expect(pixel(480, 100)).toEqual([255, 87, 87]);
    expect(pixel(320, 200)).toEqual([0, 0, 0]);
  });

  it('drags with the button held all the way, and turns the wheel', async () => {
    await vm.act({ type: 'drag', start: { x: 0.1, y: 0.5 }, end: { x: 0.9, y: 0.5 } });
    const dragged = await heard(vm, /\n0000E.{11}\./);
    expect(dragged.match(/\n0020/g)!.length).toBeGreaterThan(4);
    await vm.act({ type: 'scroll', direction: 'down' });
    const turned = await heard(vm, /(\n.{12}0001\.[^]*){5}\n.{12}0000\./);
    expect(turned.match(/0001\./g)).toHaveLength(5);
  });

  it('refuses unsupported actions without side effects', async () => {
    await expect(vm.act({ type: 'type', text: 'ab\u00e9' })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'text' },
    });
    for (const [action, field] of [
      [{ type: 'press_home' }, 'type'],
      [{ type: 'scroll', direction: 'left' }, 'direction'],
      [{ type: 'click', point: { x: 2, y: 0 } }, 'point.x'],
      [{ type: 'hotkey', keys: 'hyper x' }, 'key'],
    ] as const) {
      await expect(vm.act(action)).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
    }
    await vm.act({ type: 'type', text: 'c' });
    expect(await heard(vm, /c/)).toBe('c');
  });

  it('goes back to a snapshot: screen, memory and disk', async () => {
    await vm.act({ type: 'type', text: 'one' });
    await vm.snapshot('start');
    const saved = await vm.observe();
    await vm.act({ type: 'type', text: ' two' });
    await vm.act({ type: 'hotkey', keys: 'f4' });
    await heard(vm, /W/);
    expect((await vm.observe()).hash).not.toBe(saved.hash);
    await vm.restore('start');
    expect((await vm.observe()).hash).toBe(saved.hash);
    await vm.act({ type: 'type', text: '!' });
    expect(await heard(vm, /!/)).toBe('!');
    await vm.snapshot('later');
    await vm.snapshot('start');
    expect((await vm.snapshots()).sort()).toEqual(['later', 'start']);
    await vm.deleteSnapshot('later');
    expect(await vm.snapshots()).toEqual(['start']);
    for (const name of ['later', '../x', '']) {
      await expect(vm.restore(name)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'snapshot' } });
    }
  });

  it('writes to a disk of its own, and never to the image', async () => {
    const before = await readFile(image.path);
    const { mtimeMs } = await stat(image.path);
    await vm.act({ type: 'hotkey', keys: 'f4' });
    expect(await heard(vm, /[WE]/)).toBe('W');
    expect((await readFile(image.path)).equals(before)).toBe(true);
    expect((await stat(image.path)).mtimeMs).toBe(mtimeMs);
  });

  it('reboots when it is reset', async () => {
    await vm.act({ type: 'type', text: 'x' });
    await heard(vm, /x/);
    await vm.reset();
    expect(await heard(vm, /R/)).toBe('R');
  });

  it.each([
    ['f2', 'the guest shut down'],
    ['f3', 'the guest panicked'],
  ])('ends as infra when the guest ends at %s, and no other does', async (keys, message) => {
    const ending = await start();
    await ending.act({ type: 'hotkey', keys }).catch(() => undefined);
    expect(await ending.ended).toMatchObject({ code: 'infra', message });
    await expect(ending.observe()).rejects.toMatchObject({ code: 'infra', message });
    await ending.close();
    await vm.act({ type: 'type', text: 'y' });
    expect(await heard(vm, /y/)).toBe('y');
  });

  it('requires the password over VNC; is ended and reported when QEMU hangs', async () => {
    const watched = await start({ vnc: { password: 'secret' }, timeoutMs: 4_000 });
    expect(vm.vncSocket).toBeUndefined();
    const viewer = connect(watched.vncSocket!);
    const chunks: Buffer[] = [];
    viewer.on('data', (data: Buffer) => {
      chunks.push(data);
      // The server speaks first; the answer takes its version (RFC 6143, 7.1.1).
      if (chunks.length === 1) viewer.write('RFB 003.008\n');
      else viewer.end();
    });
    await once(viewer, 'close');
    expect(chunks[0]!.toString()).toBe('RFB 003.008\n');
    // Only passwords (2).
    expect([...chunks[1]!]).toEqual([1, 2]);
    const pids = await machines(enclosure.home);
    expect(pids).toHaveLength(2);
    process.kill(pids[1]!, 'SIGSTOP');
    await expect(watched.observe()).rejects.toMatchObject({
      code: 'infra',
      message: 'QEMU did not answer screendump within 4000 ms',
    });
    await watched.close();
    expect(await machines(enclosure.home)).toEqual(pids.slice(0, 1));
  });

  it('does not outlive the process that started it, however that ends', async () => {
    const program = `
      const { Vm } = await import(${JSON.stringify(new URL('./vm.js', import.meta.url).href)});
      const { BareEnclosure } = await import(${JSON.stringify(new URL('../isolation/bareEnclosure.js', import.meta.url).href)});
      const enclosure = await BareEnclosure.create();
      await Vm.start(enclosure, ${JSON.stringify({ image: image.path, ...plain })});
      console.log(enclosure.home);
      setInterval(() => undefined, 1_000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const home = (await once(owner.stdout, 'data')).toString().trim();
    expect(await machines(home)).toHaveLength(1);
    owner.kill('SIGKILL');
    await expect.poll(() => machines(home), { timeout: 20_000 }).toEqual([]);
    await rm(home, { recursive: true });
  });
});

describe('the options of a virtual machine', () => {
  it.skipIf(whyNot !== '').each<[Partial<VmOptions>, string]>([
    [{ image: '/nowhere/disk.img' }, 'image'],
    [{ image: '/tmp' }, 'image'],
    [{ memoryBytes: 1 }, 'vm.memoryBytes'],
    [{ cpus: 0 }, 'vm.cpus'],
    [{ size: { width: 100_000, height: 1 } }, 'vm.size'],
    [{ vnc: { password: 'far too long' } }, 'vm.vnc.password'],
    [{ vnc: { password: 'secret', port: 80 } }, 'vm.vnc.port'],
    [{ settle: { stableReads: 0 } }, 'settle.stableReads'],
  ])('are refused if they are invalid: %j', async (options, field) => {
    const enclosure = await BareEnclosure.create();
    const started = Vm.start(enclosure, { image: process.execPath, ...plain, ...options });
    await expect(started).rejects.toMatchObject({ code: 'bad_input', detail: { field } });
    expect(await readdir(enclosure.home)).toEqual([]);
    await enclosure.close();
  });

  it('are useless without QEMU, and the error names packages to install', () => {
    expect(missingForVm({ PATH: '/nowhere' })).toHaveLength(2);
    expect(() => checkVmRequirements({ PATH: '/nowhere' })).toThrow(
      expect.objectContaining({ code: 'missing', detail: expect.objectContaining({ field: 'vm' }) }),
    );
  });
});

async function machines(home: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const guests = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return line.startsWith('qemu-system') && line.includes(home);
    }),
  );
  return pids.filter((_, index) => guests[index]).sort((a, b) => a - b);
}
