import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter, printRequest, readReply } from './wire.js';

const bytes = fc.uint8Array({ maxLength: 200 });

/** Cuts bytes into chunks at the given places. */
function chunksOf(whole: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return places.slice(1).map((end, index) => whole.subarray(places[index], end));
}

describe('lines', () => {
  test('do not depend on how the bytes arrive', () => {
    fc.assert(
      fc.property(fc.array(bytes), fc.array(fc.nat({ max: 2_000 })), (parts, cuts) => {
        const whole = Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
        const expected = whole.toString('latin1').split('\n').slice(0, -1);
        const splitter = new LineSplitter(1_000);
        const lines = chunksOf(whole, cuts).flatMap((chunk) => splitter.push(chunk));
        expect(lines.map((line) => Buffer.from(line).toString('latin1'))).toEqual(expected);
      }),
    );
  });

  test('may not be longer than the limit, whether they end or not', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 })), fc.boolean(), (lengths, ends) => {
        const splitter = new LineSplitter(50);
        const total = lengths.reduce((sum, length) => sum + length, 0);
        const feed = () => {
          for (const length of lengths) splitter.push(new Uint8Array(length).fill(65));
          if (ends) splitter.push(Buffer.from('\n'));
        };
        if (total <= 50) expect(feed).not.toThrow();
        else expect(feed).toThrow(expect.objectContaining({ code: 'infra' }));
      }),
    );
  });
});

describe('requests', () => {
  test('are one line of JSON, whatever their terms', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1 }),
        fc.string({ unit: 'binary' }),
        fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
        (id, op, terms) => {
          const line = printRequest(id, op, terms);
          expect(line.indexOf('\n')).toBe(line.length - 1);
          expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify({ id, op, terms })));
        },
      ),
    );
  });
});

describe('replies', () => {
  const reply = fc.oneof(
    fc.record({ id: fc.integer({ min: 1 }), result: fc.jsonValue() }),
    fc.record({
      id: fc.integer({ min: 1 }),
      error: fc.record({ kind: fc.constantFrom('infra', 'bad_input'), message: fc.string() }),
    }),
  );

  test('are read as they were printed', () => {
    fc.assert(
      fc.property(reply, (printed) => {
        const line = JSON.stringify(printed);
        expect(readReply(Buffer.from(line))).toEqual(JSON.parse(line));
      }),
    );
  });

  test('are undefined for any other line, and never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          bytes,
          fc.json().map((text) => Buffer.from(text)),
        ),
        (line) => {
          const read = readReply(line);
          if (read !== undefined) expect(read).toHaveProperty('id');
        },
      ),
      { numRuns: 500 },
    );
    for (const line of [
      '',
      'null',
      '[]',
      '{"id":1}',
      '{"id":0,"result":1}',
      '{"id":1,"result":1,"more":1}',
      '{"id":1,"error":{"kind":"bug","message":""}}',
      '{"id":1,"result":1,"error":{"kind":"infra","message":""}}',
    ])
      expect(readReply(Buffer.from(line)), line).toBeUndefined();
    expect(readReply(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined();
  });
});
