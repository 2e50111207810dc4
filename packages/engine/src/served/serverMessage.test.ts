import { expect, test } from 'vitest';
import { parseServerJson, serverMessage } from './serverMessage.js';

test.each([
  [
    '{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"busy"}}}',
    'Provider returned error: busy',
  ],
  ['{"error":"model not found"}', 'model not found'],
  ['{"object":"error","message":"too long","code":400}', 'too long'],
  ['[{"error":{"code":400,"message":"Unknown name"}}]', 'Unknown name'],
  [
    '{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}',
    'body: seed: Extra inputs are not permitted',
  ],
  ['{"detail":"Not authenticated"}', 'Not authenticated'],
  ['{"code":7}', '{"code":7}'],
  ['<!DOCTYPE html><title>504</title><script>x</script><h1>Gateway\n Time-out</h1>', '504 Gateway Time-out'],
  ['upstream connect error', 'upstream connect error'],
  ['', ''],
])('a server that says %s says "%s"', (body, words) => {
  expect(serverMessage(body)).toBe(words);
});

test("of Ray's traceback only the last exception is left", () => {
  const frame = (line: number) =>
    `  File "/lib/worker.py", line ${line}, in broadcast\n    raise error\n    ^^^^^^^^^^^\n`;
  const error = '\u001b[36mray::Worker.broadcast()\u001b[39m (pid=1)\n' + frame(1).repeat(20);
  const last = "ClientError: 500, message='rank 8 is\ngreater than 1', url='/load'";
  expect(serverMessage(JSON.stringify({ detail: `${error}${last}\n` }))).toBe(last.replace('\n', ' '));
  expect(serverMessage(`Traceback:\n${frame(7)}`)).toContain('line 7, in broadcast');
});

test('words are one line of at most 400 characters', () => {
  expect(serverMessage(`a\n${'b'.repeat(9_999)}`)).toBe(`a ${'b'.repeat(398)}...`);
});

test.each([
  ['{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \\"Infinity"}', { a: null, b: [null, null], c: 'NaN "Infinity' }],
  ['{"a":1}', { a: 1 }],
  ['NaN or never', undefined],
  ['<p>', undefined],
])('reads %s', (text, value) => {
  expect(parseServerJson(text)).toEqual(value);
});
