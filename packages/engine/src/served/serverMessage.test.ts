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
