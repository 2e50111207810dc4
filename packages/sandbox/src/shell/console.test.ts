import { mkdir, writeFile } from 'node:fs/promises';
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

describe('a console', () => {
  it('keeps directory, variables, functions and options between commands', async () => {
    await mkdir(join(enclosure.homeOnHost, 'a b'));
    const moved = await shell.execute('cd "a b"; x=5; f() { echo "f $1"; }; export Y=7; set -u');
    expect(moved).toMatchObject({ output: '', exitCode: 0, running: false, cwd: `${enclosure.home}/a b` });
    expect(await shell.execute('f $x; echo $Y; pwd')).toMatchObject({ output: `f 5\n7\n${enclosure.home}/a b\n` });
    expect(await shell.execute('echo ${x}', { console: 'other' })).toMatchObject({ output: '\n' });
    await Promise.all([1, 2, 3].map((number) => shell.execute(`echo ${number}`, { console: `c${number}` })));
    expect(shell.terminals.map(({ id }) => id).sort()).toEqual(
      ['c1', 'c2', 'c3', 'main', 'other'].map((n) => `console-${n}`),
    );
  });

  it.each([
    ['false', 1, ''],
    ['(exit 7)', 7, ''],
    ['printf "no line break"', 0, 'no line break'],
    ['for i in 1 2; do\n\techo "l $i"\ndone\n\n\nsh -c "exit 3"', 3, 'l 1\nl 2\n'],
    ['cat <<EOF\n\ttab\n$((1 + 1))\nEOF', 0, '\ttab\n2\n'.replace('\t', '        ')],
    ['echo "!!" # no history, and a comment', 0, '!!\n'],
    ['# nothing but a comment', 0, ''],
    ['echo )', 2, "bash: syntax error near unexpected token `)'\n"],
    [String.raw`printf '10%%\r\e[K20%%\r\e[K\e[32m100%%\e[0m\n'`, 0, '100%\n'],
    [String.raw`printf '\e]7770;x;ready;99;0;/\a'; sleep 0.1; false`, 1, ''],
    [String.raw`clear; echo cleared`, 0, 'cleared\n'],
    ['set -x; echo a; set +x', 0, '+ echo a\na\n+ set +x\n'],
    ['PS1="mine> "; true', 0, ''],
    ['kill -TERM $BASHPID; sh -c "kill -9 \\$\\$"', 137, 'Killed\n'],
  ])('sees %j end', async (command, exitCode, output) => {
    await shell.execute('true');
    const result = await shell.execute(command, { timeoutMs: 5_000 });
    expect(result).toMatchObject({ exitCode, running: false, truncated: false });
    expect(result.output).toBe(output);
    expect(await shell.execute('echo next')).toMatchObject({ output: 'next\n', exitCode: 0 });
  });

  it('gives back what was written, whatever the width of the terminal', async () => {
    const path = join(enclosure.homeOnHost, 'text');
    const character = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...'abc \\$"\'é中字한') },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
    );
    // Trailing blanks look like an empty screen.
    const line = fc.string({ unit: character, maxLength: 150 }).map((text) => text.trimEnd());
    await (await shell.console()).terminal.resize({ columns: 37, rows: 10 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const text = lines.map((each) => `${each}\n`).join('');
        await writeFile(path, text);
        expect((await shell.execute('cat text')).output).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps head and tail of a long output, and says how many lines are left out', async () => {
    const few = await shell.execute('seq 100', { maxOutput: 40 });
    expect(few).toMatchObject({ truncated: true });
    expect(few.output).toMatch(/^1\n2\n[^]*\n\[… \d+ lines left out …\]\n[^]*\n99\n100\n$/);
    const many = await shell.execute('seq 40000', { maxOutput: 40 });
    const [, head, omitted, tail] = /^([^]*?)\[… (\d+) lines left out …\]\n([^]*)$/.exec(many.output)!;
    expect(head!.split('\n').length + Number(omitted) + tail!.split('\n').length - 2).toBeOneOf([
      39_999, 40_000, 40_001,
    ]);
    expect(many.output).toMatch(/^1\n2\n/);
    expect(many.output).toMatch(/\n39999\n40000\n$/);
    const middle = await shell.execute('seq 5000', { maxOutput: 100_000 });
    expect(middle).toMatchObject({
      truncated: false,
      output: Array.from({ length: 5_000 }, (_, i) => `${i + 1}\n`).join(''),
    });
  });

  it('comes back while a command runs, which can be written to, waited for and interrupted', async () => {
    const asking = await shell.execute('read -p "name? " n; echo "<$n>"', { quietMs: 200 });
    expect(asking).toMatchObject({ running: true, output: 'name? ' });
    expect(asking).not.toHaveProperty('exitCode');
    expect(asking.screen.lines.some((line) => line.startsWith('name?'))).toBe(true);
    await expect(shell.execute('true')).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'command' } });
    const console = await shell.console();
    console.terminal.write('bob\n');
    expect(await console.wait()).toMatchObject({ running: false, exitCode: 0, output: 'name? bob\n<bob>\n' });
    expect(await shell.execute('sleep 120', { timeoutMs: 100 })).toMatchObject({ running: true });
    expect(await console.interrupt()).toMatchObject({ running: false, exitCode: 130 });
    expect(await shell.execute('less /etc/passwd', { quietMs: 300 })).toMatchObject({
      running: true,
      screen: { alternate: true },
    });
    console.terminal.press('q');
    expect(await console.wait()).toMatchObject({ exitCode: 0 });
  });

  it.each(['echo "open', 'cat <<EOF\nline', 'if true; then', 'echo a |'])(
    'refuses the incomplete %j',
    async (command) => {
      await expect(shell.execute(command)).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'command' } });
      expect(await shell.execute('echo next')).toMatchObject({ output: 'next\n', exitCode: 0 });
    },
  );

  it.each(['', ' \n', 'echo \x03', 'x'.repeat(70_000)])('refuses the command %j', async (command) => {
    await expect(shell.execute(command)).rejects.toMatchObject({ code: 'bad_input' });
    expect((await shell.console()).running).toBe(false);
  });

  it('ends with its bash, and the next command gets another', async () => {
    await shell.execute('x=1');
    expect(await shell.execute('exit 4')).toMatchObject({ running: false, exitCode: 4 });
    expect(await shell.execute('echo "<$x>"')).toMatchObject({ output: '<>\n' });
    expect(await shell.execute('kill -9 $$')).toMatchObject({ running: false });
    expect(await shell.execute('set -e; false')).toMatchObject({ running: false, exitCode: 1 });
    expect(await shell.execute('echo again')).toMatchObject({ output: 'again\n' });
    expect((await shell.run('ls -A')).stdout).toBe('');
  });

  it('refuses several lines where bash would take them one by one', async () => {
    await shell.execute("bind 'set enable-bracketed-paste off'");
    await expect(shell.execute('echo a\necho b')).rejects.toMatchObject({ code: 'bad_input' });
    expect(await shell.execute('echo one')).toMatchObject({ output: 'one\n' });
  });

  it('that runs another shell is closed, and reopened', async () => {
    expect(await shell.execute('exec sh', { timeoutMs: 200 })).toMatchObject({ running: true });
    await (await shell.console()).close();
    expect(await shell.execute('echo again')).toMatchObject({ output: 'again\n' });
  });

  it('does not take a redraw of the prompt for an end', async () => {
    const console = await shell.console();
    await shell.execute('sleep 0.3; echo over', { timeoutMs: 50 });
    await console.terminal.resize({ columns: 60, rows: 20 });
    await console.terminal.resize({ columns: 90, rows: 20 });
    expect(await console.wait()).toMatchObject({ running: false, output: 'over\n' });
  });
});
