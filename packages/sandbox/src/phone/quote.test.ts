import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quote } from './quote.js';

function wordsOf(quoted: readonly string[]): string[] {
  const output = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${quoted.join(' ')}`], { encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

const nasty = [
  '',
  ' ',
  "'",
  `'\\''`,
  '$(reboot)',
  '`reboot`',
  '; reboot',
  '&& reboot #',
  '\n reboot',
  '\\',
  '*',
  '~',
  '%s',
  '-n',
];

describe('quote', () => {
  it('makes one word of any text, for a real shell', () => {
    expect(wordsOf(nasty.map(quote))).toEqual(nasty);
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom(...'\'"\\$`;&|<>(){}[]*?!#~% \n\tabs'), maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (texts) => {
        const whole = texts.map((each) => each.replaceAll('\0', ''));
        expect(wordsOf(whole.map(quote))).toEqual(whole);
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  it('refuses U+0000', () => {
    expect(() => quote('a\0b')).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'text' }) }),
    );
  });
});
