import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { Desktop } from './desktop.js';
import { openWith } from './opener.js';
import { missingForDesktop } from './requirement.js';
import type { DesktopWindow } from './windows.js';

const size = { width: 800, height: 600 };
const missing = missingForDesktop().map(({ debian }) => debian);

describe.skipIf(missing.length > 0)(`windows${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`, () => {
  let enclosure: BareEnclosure;
  let desktop: Desktop;
  beforeAll(async () => {
    enclosure = await BareEnclosure.create();
    desktop = await Desktop.start(enclosure, { size });
  });
  afterAll(async () => {
    await desktop.close();
    await enclosure.close();
  });

  /** Waits for the keyboard, which a terminal gets a moment after it is listed. */
  const terminal = async (title: string, place = '+0+0', ...command: string[]) => {
    await desktop.launch('xterm', ['-title', title, '-geometry', `40x10${place}`, ...command]);
    return desktop.waitForWindow((window) => window.title === title && window.focused);
  };

  const opened = async (text: string) => {
    mkdirSync(`${enclosure.homeOnHost}/a folder`, { recursive: true });
    writeFileSync(`${enclosure.homeOnHost}/a folder/note.txt`, text);
    await desktop.open(`${enclosure.home}/a folder/note.txt`);
    return desktop.waitForWindow(({ title, focused }) => title.includes('note.txt') && focused);
  };

  it('are listed, brought to the front and closed', async () => {
    // A terminal does not close before its program has started.
    const running = async (name: string) =>
      expect.poll(() => existsSync(`${enclosure.homeOnHost}/${name}`), { timeout: 5_000 }).toBe(true);
    const first = await terminal('the first, 第一', '+100+50', '-e', 'sh', '-c', 'touch first; exec cat');
    await running('first');
    const second = await terminal('the second', '+300+250', '-e', 'sh', '-c', 'touch second; exec cat');
    await running('second');
    expect(await desktop.windows()).toMatchObject([
      { id: first.id, title: 'the first, 第一', program: 'XTerm', focused: false },
      { id: second.id, title: 'the second', program: 'XTerm', focused: true },
    ]);
    expect(readFileSync(`/proc/${first.pid}/comm`, 'utf8')).toBe('xterm\n');
    for (const [{ box }, x, y] of [
      [first, 100, 50],
      [second, 300, 250],
    ] as const) {
      expect(Math.abs(box.x * size.width - x)).toBeLessThan(30);
      expect(Math.abs(box.y * size.height - y)).toBeLessThan(40);
    }
    await desktop.activate(first);
    expect((await desktop.windows()).map(({ focused }) => focused)).toEqual([true, false]);
    expect(await desktop.closeWindow(first)).toBe(true);
    expect((await desktop.windows()).map(({ id }) => id)).toEqual([second.id]);
    expect(await desktop.closeWindow(second)).toBe(true);
    for (const gone of [desktop.activate(first), desktop.closeWindow(first), desktop.activate({ id: 12 })]) {
      await expect(gone).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'window' } });
    }
  });

  it('take a click where they are', async () => {
    await terminal(
      'clicked',
      '+50+50',
      '-e',
      'sh',
      '-c',
      'printf "\\033[?1000h\\033[?1006h"; stty raw; head -c 10 > clicked',
    );
    const { box }: DesktopWindow = await desktop.waitForWindow(({ title }) => title === 'clicked');
    const middle = { x: box.x + (box.width * 9.5) / 40, y: box.y + (box.height * 4.5) / 10 };
    await desktop.act({ type: 'click', point: middle });
    await expect.poll(() => readFileSync(`${enclosure.homeOnHost}/clicked`, 'latin1')).toBe('\u001b[<0;10;5M');
  });

  it('of an editor show a file, and what is typed and copied there can be read back', async () => {
    const window = await opened('one 一\n');
    expect(window.program).toBe('Mousepad');
    await desktop.act({ type: 'hotkey', keys: 'ctrl end' });
    await desktop.act({ type: 'type', text: 'two: 汉字, naïve “ß” €\n\tthree' });
    await desktop.act({ type: 'hotkey', keys: 'ctrl a' });
    await desktop.act({ type: 'hotkey', keys: 'ctrl c' });
    expect(await desktop.readClipboard()).toBe('one 一\ntwo: 汉字, naïve “ß” €\n\tthree');
    const long = '长文 long '.repeat(40_000);
    await desktop.writeClipboard(long);
    expect(await desktop.readClipboard()).toBe(long);
    await desktop.act({ type: 'hotkey', keys: 'ctrl v' });
    await desktop.act({ type: 'hotkey', keys: 'ctrl a' });
    await desktop.act({ type: 'hotkey', keys: 'ctrl c' });
    await expect.poll(() => desktop.readClipboard(), { timeout: 5_000 }).toBe(long);
    expect(await desktop.closeWindow(window)).toBe(false);
  });

  it('open only for programs and files that exist', async () => {
    await expect(desktop.launch('no-such-program')).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'program' },
    });
    await expect(desktop.open('/x/thing.unheard')).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'file' },
    });
    const launch = (program: string, args: readonly string[]) => desktop.launch(program, args);
    await expect(openWith(['no-such-program'], '/x/design.psd', launch)).rejects.toMatchObject({
      code: 'missing',
      detail: { field: 'file' },
    });
    expect(await (await desktop.launch('sh', ['-c', 'exit 3'])).ended).toBe(3);
    await expect(desktop.waitForWindow(() => false, 20)).rejects.toMatchObject({ code: 'infra' });
  });
});

describe.skipIf(missing.length > 0)('windows without a window manager', () => {
  it('are listed, focused and closed by the X server', async () => {
    const enclosure = await BareEnclosure.create();
    const desktop = await Desktop.start(enclosure, { size, windowManager: false, accessibility: false });
    expect(await desktop.windows()).toEqual([]);
    const program = ['-e', 'sh', '-c', 'touch begun; exec cat'];
    await desktop.launch('xterm', ['-title', 'bare', '-geometry', '40x10+80+60', ...program]);
    const window = await desktop.waitForWindow(({ title }) => title === 'bare');
    await expect.poll(() => existsSync(`${enclosure.homeOnHost}/begun`), { timeout: 5_000 }).toBe(true);
    expect(window).toMatchObject({ program: 'XTerm', box: { x: 81 / size.width, y: 61 / size.height } });
    await desktop.activate(window);
    // A starting terminal may lose focus for a moment.
    await expect.poll(async () => (await desktop.windows())[0]?.focused, { timeout: 5_000 }).toBe(true);
    expect(await desktop.closeWindow(window)).toBe(true);
    await desktop.close();
    await enclosure.close();
  });
});
