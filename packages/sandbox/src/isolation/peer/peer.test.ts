import fc from 'fast-check';
import type { GyreError } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { Allowance } from './allowance.js';
import { Frames } from './frames.js';
import { Guard } from './guard.js';
import { maxDepth, parseJson } from './json.js';
import { Messages, type Oversized } from './messages.js';
import { Violation } from './violation.js';

const runs = { numRuns: 2_000, seed: 45 };

function chunks(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const offsets = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
  return offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

test('messages arrive whole, however they are split; of oversized ones only both ends', () => {
  const message = fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), cuts, (specs, cutPoints) => {
      const sent = specs.map(([length, byte]) => Buffer.alloc(length, byte));
      const heard: (string | Oversized)[] = [];
      const messages = new Messages({
        delimiter: 0,
        limit: () => 1_000,
        maxDropped: 10_000,
        message: (bytes) => heard.push(bytes.toString('latin1')),
        oversized: (refused) => heard.push(refused),
      });
      for (const chunk of chunks(Buffer.concat(sent.flatMap((bytes) => [bytes, Buffer.of(0)])), cutPoints))
        messages.push(chunk);
      const edge = (bytes: Buffer) => bytes.subarray(0, 256).toString();
      const expected = sent.map((bytes) =>
        bytes.length <= 1_000
          ? bytes.toString('latin1')
          : { bytes: bytes.length, head: edge(bytes), tail: edge(bytes) },
      );
      expect(heard).toEqual(expected);
    }),
    runs,
  );
});

test('a message without an end is refused at its bound', () => {
  const messages = new Messages({ delimiter: 10, limit: () => 1_000, message: () => undefined });
  messages.push(Buffer.alloc(1_000, 1));
  expect(() => messages.push(Buffer.of(1))).toThrow(Violation);
});

test('frames arrive whole, however they are cut, and those that are too large are passed over', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 8 }), cuts, (lengths, cutPoints) => {
      const sent = lengths.map((length, index) =>
        Buffer.concat([Buffer.of(length & 255, length >> 8), Buffer.alloc(length, index)]),
      );
      const heard: string[] = [];
      const frames = new Frames({
        header: 2,
        maxBytes: 202,
        lengthOf: (header) => 2 + header.readUInt16LE(0),
        frame: (bytes) => heard.push(bytes.toString('latin1')),
      });
      for (const chunk of chunks(Buffer.concat(sent), cutPoints)) frames.push(chunk);
      const accepted = sent.filter(({ length }) => length <= 202);
      expect(heard).toEqual(accepted.map((bytes) => bytes.toString('latin1')));
    }),
    runs,
  );
});

test('JSON is parsed, and refused if it is invalid or nested too deeply', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
    runs,
  );
  const nested = (depth: number) => `{"a":"[[[\\\\\\"[[[","b":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  expect(parseJson(nested(maxDepth))).toBeTypeOf('object');
  for (const text of [nested(maxDepth + 1), '['.repeat(1e6), '{"a":'.repeat(1e6), 'nothing', ''])
    expect(() => parseJson(text)).toThrow(Violation);
});

test('JSON with any bytes changed is parsed or refused', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 8 }), (text, position, put) => {
      const changed =
        text.slice(0, position % (text.length + 1)) + put + text.slice((position % (text.length + 1)) + put.length);
      try {
        parseJson(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(Violation);
      }
    }),
    runs,
  );
});

test('an allowance permits a burst, and refills over time', () => {
  let now = 0;
  const allowance = new Allowance({ burst: 10, perSecond: 5, unit: 'events' }, () => now);
  allowance.spend(10);
  now = 1_000;
  allowance.spend(5);
  expect(() => allowance.spend(1)).toThrow(/rate limit of 10 events at once and 5 per second/);
});

test('a guard ends its connection once: infra for the peer’s faults, bug for ours', () => {
  const peer = { name: 'the peer', part: 'display', fix: 'x' } as const;
  for (const [thrown, expected] of [
    [new Violation('sent nonsense'), { code: 'infra', message: 'the peer sent nonsense', detail: { part: 'display' } }],
    [new TypeError('x is undefined'), { code: 'bug', detail: { cause: expect.any(TypeError) } }],
  ] as const) {
    const reasons: GyreError[] = [];
    const guard = new Guard(peer, (reason) => reasons.push(reason));
    let read = 0;
    guard.run(() => {
      throw thrown;
    });
    guard.run(() => read++);
    expect(read).toBe(0);
    expect(reasons).toMatchObject([expected]);
  }
});
