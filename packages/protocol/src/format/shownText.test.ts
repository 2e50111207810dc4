import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownInJson, shownJson, shownLines, shownText } from './shownText.js';

const hostile = fc.constantFrom(
  ...[
    '\x1b[2J',
    '\x1b]0;title\x07',
    '\x1b]8;;http://evil\x1b\\',
    '\x9b31m',
    '\r',
    '\n',
    '\t',
    '\b',
    '\0',
    '\x7f',
    '\x85',
    '\x90',
  ],
  ...[
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200e',
    '\u200f',
    '\u061c',
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u00ad',
  ],
  ...['\u2028', '\u2029', '\u{e0041}', '\u{e0100}', '\ud800', '\udfff', '\u3164', '\u115f', '\u180e', '\ufff9'],
);
const text = fc
  .array(fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.string()), { maxLength: 12 })
  .map((parts) => parts.join(''));

/** Restates the rule independently of the tested expression. */
function isDrawn(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const within = (...ranges: readonly (readonly [number, number])[]) =>
    ranges.some(([from, to]) => code >= from && code <= to);
  return !within(
    ...([
      [0, 0x1f],
      [0x7f, 0x9f],
      [0xad, 0xad],
      [0x61c, 0x61c],
      [0x115f, 0x1160],
      [0x17b4, 0x17b5],
      [0x180b, 0x180f],
    ] as const),
    ...([
      [0x200b, 0x200f],
      [0x2028, 0x202e],
      [0x2060, 0x206f],
      [0x3164, 0x3164],
      [0xd800, 0xdfff],
      [0xfeff, 0xfeff],
    ] as const),
    ...([
      [0xffa0, 0xffa0],
      [0xfff0, 0xfffb],
      [0xe0000, 0xe0fff],
    ] as const),
  );
}

describe('an untrusted text', () => {
  it('is shown on one line, without control or invisible characters', () => {
    fc.assert(
      fc.property(text, (source) => {
        const escaped = shownText(source);
        expect([...escaped].every(isDrawn), JSON.stringify(source)).toBe(true);
        expect(shownText(escaped)).toBe(escaped);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
    ['a\u202eb', 'a\\u202eb'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['\x9bH\x7f', '\\x9bH\\x7f'],
    ['\u{e0041}', '\\u{e0041}'],
    ['naïve – 日本語 עברית ❤️ C:\\x1b', 'naïve – 日本語 עברית ❤️ C:\\x1b'],
  ])('%j is shown as %j', (given, shown) => {
    expect(shownText(given)).toBe(shown);
  });

  it('keeps line feeds, but no other breaks, if lines are allowed', () => {
    expect(shownLines('a\nb\r\nc\rd\u2028e\x0bf')).toEqual(['a', 'b', 'c\\rd\\u2028e\\x0bf']);
  });

  it('keeps its value in JSON, also without invisible characters', () => {
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = shownJson(value);
        expect([...json].every(isDrawn)).toBe(true);
        expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(value));
        const indented = shownInJson(JSON.stringify(value, undefined, 2));
        expect([...indented.replaceAll('\n', '')].every(isDrawn)).toBe(true);
        expect(JSON.stringify(JSON.parse(indented))).toBe(JSON.stringify(value));
      }),
      { numRuns: 2_000 },
    );
    expect(shownJson(undefined)).toBe('null');
  });
});
