import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inProcess } from '../inProcess.test.fixture.js';
import { markdownTable, markdownText, table } from './table.js';
import { Terminal } from './terminal.js';
import { turnLine } from './turnLine.js';

const attack = fc.constantFrom(
  ...[
    '\x1b[2J\x1b[H',
    '\x1b]0;owned\x07',
    '\x1b]52;c;aGk=\x07',
    '\x1bP+q\x1b\\',
    '\x9b2J',
    '\r',
    '\b\b\b',
    '\x07',
    '\x7f',
    '\0',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u200f',
    '\u200b',
    '\u2028',
    '\ufeff',
    '\u{e0041}',
    '\ud800',
    '\x85',
    '<script>',
    '| a |',
    '\nsuccess, score 1.00',
  ],
);
const hostile = fc
  .array(fc.oneof(attack, fc.string({ unit: 'binary' })), { maxLength: 8 })
  .map((parts) => parts.join(''));
/** Characters that a terminal interprets or hides. */
const obeyed = /(?!\n)[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]|[\u{e0000}-\u{e0fff}]/u;

async function written(use: (terminal: Terminal) => void, json = false): Promise<{ stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  use(new Terminal(json, stdout, stderr));
  stdout.end();
  stderr.end();
  return { stdout: await text(stdout), stderr: await text(stderr) };
}

test('a terminal is shown any text, and obeys none: lines, logs, progress, tables, turns, results', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (first, second) => {
      const turn = {
        ...{ index: 0, thought: second, reward: 0 },
        actions: [
          { type: 'finished' as const, answer: first },
          { type: 'hotkey' as const, keys: second },
        ],
        observation: {
          screenshot: 'a'.repeat(64),
          size: { width: 1, height: 1 },
          results: [{ kind: 'output' as const, text: first }],
        },
      };
      const use = (terminal: Terminal) => {
        terminal.print(first);
        terminal.log(second);
        terminal.print(turnLine(turn));
        for (const line of table([first, 'b'], [[second, first]])) terminal.print(line);
        terminal.progress(first).update(1, second);
        terminal.result({ [first]: second });
      };
      for (const json of [false, true]) {
        const { stdout, stderr } = await written(use, json);
        expect(stdout + stderr, JSON.stringify([first, second])).not.toMatch(obeyed);
        if (json) expect(JSON.stringify(JSON.parse(stdout))).toBe(JSON.stringify({ [first]: second }));
      }
    }),
    { numRuns: 500 },
  );
});

test('no text passes for a line of the command', async () => {
  const { stdout } = await written((terminal) => terminal.print('said: a\nsuccess, score 1.00\r\nepisode x'));
  expect(stdout).toBe('said: a\n    ┆ success, score 1.00\n    ┆ episode x\n');
});

test('the cells of a table have their widths as they are shown, and each row is a line', () => {
  const lines = table(
    ['name', 'n'],
    [
      ['a\x1b[31m', '1'],
      ['b\nc', '22'],
    ],
  );
  expect(lines).toHaveLength(4);
  expect(lines[2]).toMatch(/^a\\x1b\[31m +1$/);
  expect(lines[3]).toMatch(/^b\\nc +22$/);
});

test('Markdown holds no markup of a text, and nothing hidden', () => {
  fc.assert(
    fc.property(hostile, (cell) => {
      const markdown = markdownTable(['a'], [[cell]]);
      expect(markdown).toHaveLength(3);
      expect(markdown[2]?.replaceAll('\\|', '').split('|')).toHaveLength(3);
      expect(markdown.join('\n') + markdownText(cell)).not.toMatch(obeyed);
      expect(markdown.join('\n')).not.toContain('<');
    }),
    { numRuns: 2_000 },
  );
});

test('an error and a mistyped flag are shown too', async () => {
  const { stderr } = await inProcess('lake', 'sql', 'SELECT 1', '--directory', '/none\x1b[2J\u202e\x9b');
  expect(stderr).toContain('error:');
  expect(stderr).not.toMatch(obeyed);
  expect((await inProcess('eval', '--\x1b[2J')).stderr).not.toMatch(obeyed);
  expect((await inProcess('\x1b]0;x\x07\u202e')).stderr).not.toMatch(obeyed);
});
