import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Parser } from './parser.js';
import { parseJson } from './parsing.js';

async function* pieces(text: string, size: number): AsyncGenerator<Buffer, void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('untrusted JSON', () => {
  it('is parsed like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('is refused without side effects if it is invalid', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parseJson(bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_input', detail: { field: 'body' } });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['nested too deeply', '['.repeat(65) + ']'.repeat(65)],
    ['of too many values', `[${'1,'.repeat(100_001)}1]`],
    ['for a prototype', '{"__proto__":{"admin":true}}'],
    ['empty', ''],
  ])('that is %s is refused', (_, text) => {
    expect(() => parseJson(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });

  it('does not count brackets in strings', () => {
    const text = JSON.stringify({ a: '[\\"{,:'.repeat(200_000), b: '\\' });
    expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });
});

describe('a parser', () => {
  it('parses long texts in another thread, several at once, with separate errors', async () => {
    const parser = new Parser();
    const long = JSON.stringify({ html: 'é'.repeat(500_000) });
    const deep = '['.repeat(200_000);
    const [longResult, shortResult, none, cut] = await Promise.allSettled([
      parser.read(pieces(long, 1_000)),
      parser.read(pieces('{"short":1}', 3)),
      parser.read(pieces(deep, 60_000)),
      parser.read(
        (async function* () {
          yield Buffer.alloc(100_000, ' ');
          throw new Error('gone');
        })(),
      ),
    ]);
    expect(longResult).toEqual({ status: 'fulfilled', value: JSON.parse(long) as unknown });
    expect(shortResult).toEqual({ status: 'fulfilled', value: { short: 1 } });
    expect(none).toMatchObject({ reason: { code: 'bad_input', detail: { field: 'body' } } });
    expect(cut).toMatchObject({ reason: { message: 'gone' } });
    await parser.close();
  });
});
