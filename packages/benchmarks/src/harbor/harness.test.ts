import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Harness } from './harness.js';

function harness(...lines: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(lines.map((line) => `${line}\n`).join(''));
  return { harness: new Harness(input, output), output };
}
const command = { command: 'ls', cwd: undefined, seconds: 3 };

test('reads the instruction, writes commands and reads their results', async () => {
  const { harness: peer, output } = harness(
    '{"instruction": "do it", "turns": 3}',
    '{"stdout": "a", "stderr": "", "code": 0}',
    '{"error": "the container is gone"}',
  );
  expect(await peer.assignment()).toEqual({ instruction: 'do it', turns: 3 });
  expect(await peer.run(command)).toEqual({ stdout: 'a', stderr: '', code: 0 });
  await expect(peer.run({ ...command, cwd: '/app' })).rejects.toMatchObject({
    code: 'infra',
    detail: { part: 'machine' },
  });
  peer.end({ state: 'finished' });
  expect(String(output.read())).toBe(
    '{"run":{"command":"ls","seconds":3}}\n{"run":{"command":"ls","cwd":"/app","seconds":3}}\n{"end":{"state":"finished"}}\n',
  );
  await expect(peer.run(command)).rejects.toMatchObject({ code: 'infra' });
});

test.each([
  '',
  '[]',
  '{"instruction": ""}',
  '{"instruction": "x", "turns": 0}',
  '{"instruction": "x", "turns": 1, "more": 1}',
])('refuses the assignment %s', async (line) => {
  await expect(harness(line).harness.assignment()).rejects.toMatchObject({ code: 'bad_input' });
});

test('takes any line for a result, a fault or a mistake, and never fails otherwise', async () => {
  const line = fc.oneof(fc.string(), fc.json()).map((text) => text.replace(/[\r\n\u2028\u2029]/g, ' '));
  await fc.assert(
    fc.asyncProperty(line, async (text) => {
      await expect(harness(text).harness.run(command)).rejects.toMatchObject({ code: 'bad_input' });
    }),
  );
});
