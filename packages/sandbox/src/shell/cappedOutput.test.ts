import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CappedOutput } from './cappedOutput.js';

const bytes = (text: string): number => Buffer.byteLength(text);

const written = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.array(fc.integer({ min: 0, max: 40 })))
  .map(([text, sizes]) => {
    const chunks: Buffer[] = [];
    let rest = Buffer.from(text);
    for (const size of sizes) {
      chunks.push(rest.subarray(0, size));
      rest = rest.subarray(size);
    }
    return { text, chunks: [...chunks, rest] };
  });

function capped(cap: number, chunks: readonly Uint8Array[]): CappedOutput {
  const output = new CappedOutput(cap);
  for (const chunk of chunks) output.push(chunk);
  return output;
}

describe('a capped output', () => {
  it('is whole up to its cap, however it was cut into chunks', () => {
    fc.assert(
      fc.property(written, ({ text, chunks }) => {
        const output = capped(Math.max(1, bytes(text)), chunks);
        output.end();
        expect(output.text()).toBe(text);
        expect(output.leftOut).toBe(0);
      }),
    );
  });

  it('beyond it keeps a beginning and an end of whole characters, and counts what is between', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: 1, max: 60 }), ({ text, chunks }, cap) => {
        fc.pre(bytes(text) > cap);
        const output = capped(cap, chunks);
        output.end();
        const parts = /^([^]*?)\n?\[… (\d+) bytes left out …\]\n([^]*)$/.exec(output.text());
        const [, head = '', omitted, tail = ''] = parts!;
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
        expect(bytes(head) + bytes(tail)).toBeLessThanOrEqual(cap);
        expect(Number(omitted)).toBe(output.leftOut);
        // The line break may be the text's own.
        expect(bytes(text) - bytes(head) - bytes(tail) - output.leftOut).toBeOneOf([0, 1]);
        expect(cap - bytes(head) - bytes(tail)).toBeLessThanOrEqual(7);
      }),
      { numRuns: 500 },
    );
  });

  it('holds back half a character until the rest comes, or the end', () => {
    const output = capped(100, [Buffer.from('a'), Buffer.from('€').subarray(0, 2)]);
    expect(output.text()).toBe('a');
    output.push(Buffer.from('€').subarray(2));
    expect(output.text()).toBe('a€');
    output.push(Buffer.from([0xf0]));
    output.end();
    expect(output.text()).toBe('a€\ufffd');
  });

  it('takes any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), fc.integer({ min: 1, max: 40 }), (chunks, cap) => {
        const output = capped(cap, chunks);
        const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
        expect(output.bytes).toBe(total);
        expect(output.leftOut).toBeLessThanOrEqual(total);
        expect(output.text()).toBeTypeOf('string');
      }),
    );
  });
});

it('copies what it keeps a bounded number of times, however small the pieces are', () => {
  // Copying everything each time would take too long.
  const output = new CappedOutput(2 ** 22);
  const piece = Buffer.from('x');
  for (let count = 0; count < 2 ** 22; count++) output.push(piece);
  output.end();
  expect([output.bytes, output.leftOut, output.text().length]).toEqual([2 ** 22, 0, 2 ** 22]);
});
