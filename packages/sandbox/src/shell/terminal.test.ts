import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BareEnclosure } from '../isolation/bareEnclosure.js';
import { Shell } from './shell.js';

let enclosure: BareEnclosure;
let shell: Shell;

beforeEach(async () => {
  enclosure = await BareEnclosure.create();
  shell = new Shell(enclosure);
});
afterEach(async () => {
  await shell.close();
  await enclosure.close();
});
const badInput = { code: 'bad_input' };

describe('a terminal', () => {
  it('shows what a person would see, as programs write it', async () => {
    const terminal = await shell.open({ size: { columns: 20, rows: 5 } });
    terminal.write("PS1='> '; clear\n");
    await terminal.wait({ until: { quietMs: 150 } });
    terminal.write(String.raw`printf '\e]2;a title\aone\rONE\n\e[31mred\e[0m\t|\e[?25l' ; sleep 99` + '\n');
    const { met, screen } = await terminal.wait({ until: { text: 'red     |' } });
    expect(met).toBe(true);
    expect(screen.lines.slice(-2)).toEqual(['ONE', 'red     |']);
    expect(screen).toMatchObject({ size: { columns: 20, rows: 5 }, title: 'a title', alternate: false });
    expect(screen.cursor).toEqual({ column: 9, row: screen.lines.indexOf('red     |'), visible: false });
  });

  it('is a real one, of the size it has', async () => {
    const terminal = await shell.open({ command: 'tty; stty size; read x; stty size; read y' });
    await terminal.wait({ until: { text: '24 80' } });
    await terminal.resize({ columns: 100, rows: 30 });
    terminal.press('enter');
    const { met, screen } = await terminal.wait({ until: { text: /^30 100$/m } });
    expect(met).toBe(true);
    expect(screen.lines[0]).toMatch(/^\/dev\/pts\/\d+$/);
    expect(screen.lines).toHaveLength(30);
  });

  it('shows full-screen programs over the rest, and the rest again', async () => {
    await writeFile(join(enclosure.homeOnHost, 'text'), Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n'));
    const terminal = await shell.open();
    await terminal.wait({ until: { quietMs: 150 } });
    terminal.write('less text\n');
    const pager = await terminal.wait({ until: { text: 'line 22' } });
    expect(pager.screen).toMatchObject({ alternate: true });
    expect(pager.screen.lines.slice(0, 2)).toEqual(['line 0', 'line 1']);
    terminal.press('down');
    expect((await terminal.wait({ until: { text: 'line 23' } })).screen.lines[0]).toBe('line 1');
    terminal.write('G');
    expect((await terminal.wait({ until: { text: '(END)' } })).screen.lines[22]).toBe('line 49');
    terminal.press('q');
    await terminal.wait({ until: { quietMs: 150 } });
    const after = await terminal.screen();
    expect(after.alternate).toBe(false);
    expect(after.lines.join('\n')).toContain('less text');
  });

  it('keeps what leaves the screen at its top', async () => {
    const terminal = await shell.open({ command: 'seq 1000; sleep 99', scrollback: 100 });
    await terminal.wait({ until: { text: '1000\n' } });
    const { scrollback, lines } = await terminal.screen({ scrollback: 3 });
    expect(lines.slice(0, 2)).toEqual(['978', '979']);
    expect(scrollback).toEqual({ rows: 100, lines: ['975', '976', '977'] });
  });

  it('takes characters that come in pieces', async () => {
    const terminal = await shell.open({ command: String.raw`printf '\xe2\x82'; sleep 0.1; printf '\xac!'; sleep 99` });
    expect((await terminal.wait({ until: { text: '!' } })).screen.lines[0]).toBe('€!');
  });

  it('shows any bytes as rows of its size', async () => {
    const path = join(enclosure.homeOnHost, 'bytes');
    const terminal = await shell.open({ command: `while read x; do cat ${path}; printf '\\ec\\e[mdone %s' $x; done` });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
        await writeFile(path, bytes);
        terminal.write(`${(round += 1)}\n`);
        const { met, screen } = await terminal.wait({ until: { text: `done ${round}` }, timeoutMs: 3_000 });
        expect(met).toBe(true);
        expect(screen.lines).toHaveLength(24);
        expect(screen.cursor.row).toBeLessThan(24);
      }),
      { numRuns: 30 },
    );
  });

  it('answers what programs ask about it', async () => {
    const terminal = await shell.open({ command: String.raw`printf 'ab\e[6n'; read -s -d R x; echo "<${'$'}{x#*[}>"` });
    expect((await terminal.wait({ until: { text: '<1;3>' } })).met).toBe(true);
  });

  it('waits for text, quiet or the end, and no longer than told', async () => {
    const terminal = await shell.open({ command: 'echo one; sleep 0.2; echo two; exit 4' });
    expect(await terminal.wait({ until: { text: 'never' }, timeoutMs: 50 })).toMatchObject({ met: false });
    expect(await terminal.wait({ until: { exit: true } })).toMatchObject({ met: true });
    expect(await terminal.ended).toEqual({ exitCode: 4 });
    expect((await terminal.screen()).lines.slice(0, 2)).toEqual(['one', 'two']);
    expect(await terminal.wait({ until: { text: 'never' } })).toMatchObject({ met: false });
    expect(() => terminal.write('x')).toThrow(expect.objectContaining(badInput) as Error);
  });

  it('survives a flood, and stays responsive', async () => {
    const terminal = await shell.open({ command: 'yes' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    terminal.press('ctrl c');
    expect((await terminal.wait({ until: { exit: true }, timeoutMs: 10_000 })).met).toBe(true);
    expect(terminal.ending).toEqual({ signal: 'SIGINT' });
  });

  it('is not held up by a program that does not read', async () => {
    const terminal = await shell.open({
      command: 'stty raw -echo; echo raw; sleep 0.5; head -c 500000 | wc -c; sleep 99',
    });
    await terminal.wait({ until: { text: 'raw' } });
    for (let times = 0; times < 5; times++) terminal.write('x'.repeat(100_000));
    expect(() => terminal.write('x'.repeat(1_000_000))).toThrow(expect.objectContaining(badInput) as Error);
    expect((await terminal.wait({ until: { text: '500000' } })).met).toBe(true);
  });

  it('may end while it is written to', async () => {
    const terminal = await shell.open({ command: 'read x' });
    const errors: unknown[] = [];
    for (let times = 0; terminal.ending === undefined && times < 10_000; times++) {
      try {
        terminal.write('\n');
      } catch (error) {
        errors.push(error);
      }
      await new Promise(setImmediate);
    }
    expect(await terminal.ended).toEqual({ exitCode: 0 });
    expect(errors).toEqual([]);
    expect(() => terminal.write('x')).toThrow(expect.objectContaining(badInput) as Error);
  });

  it('survives a character with endless accents', async () => {
    const terminal = await shell.open({
      command: String.raw`printf 'e\u301\u302|'; printf o; yes $'\u301' | tr -d '\n' | head -c 1M; printf done; sleep 99`,
    });
    expect((await terminal.wait({ until: { text: 'done' } })).met).toBe(true);
    const { scrollback } = await terminal.screen({ scrollback: 5_000 });
    expect(scrollback.lines.every((line) => line.length <= 17 * 80)).toBe(true);
  });

  it.each(['b', 'I', 'Z', 'L', 'M', 'S', 'T', '@', 'P', 'X', 'H'])(
    'survives a sequence %s that repeats endlessly',
    async (final) => {
      const terminal = await shell.open({ command: `printf 'x\\e[2147483647${final}\\ecdone'; sleep 99` });
      expect((await terminal.wait({ until: { text: 'done' } })).screen.lines[0]).toBe('done');
    },
  );

  it('knows the widths of characters', async () => {
    const terminal = await shell.open({ command: "printf '中🙂e\u0301|'; sleep 99" });
    const { screen } = await terminal.wait({ until: { text: '|' } });
    expect(screen).toMatchObject({ cursor: { column: 6, row: 0 } });
    expect(screen.lines[0]).toBe('中🙂e\u0301|');
  });

  it('refuses sizes and keys that make no sense, and everything once it is closed', async () => {
    await expect(shell.open({ size: { columns: 0, rows: 24 } })).rejects.toMatchObject({ detail: { field: 'size' } });
    await expect(shell.open({ size: { columns: 80, rows: 1e9 } })).rejects.toMatchObject(badInput);
    await expect(shell.open({ scrollback: -1 })).rejects.toMatchObject({ detail: { field: 'scrollback' } });
    await expect(shell.open({ cwd: '/no/such' })).rejects.toMatchObject({ detail: { field: 'cwd' } });
    const terminal = await shell.open();
    expect(shell.terminals).toEqual([terminal]);
    expect(() => terminal.paste('a\x1bb')).toThrow(expect.objectContaining(badInput) as Error);
    const waiting = terminal.wait({ until: { text: 'never' } });
    await Promise.all([terminal.close(), terminal.close()]);
    expect((await waiting).met).toBe(false);
    await expect(terminal.screen()).rejects.toMatchObject(badInput);
    expect(shell.terminals).toEqual([]);
  });
});
