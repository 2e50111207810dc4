import fc from 'fast-check';
import { expect, test } from 'vitest';
import { modelMetadata } from './modelMetadata.js';

/** A length-delimited field of a protocol buffer. */
function delimited(field: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

const entry = (key: string, value: string) => delimited(14, Buffer.concat([delimited(1, key), delimited(2, value)]));

test('reads the entries of a model among its other fields', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string({ maxLength: 400 })), fc.uint8Array(), (properties, graph) => {
      const version = Buffer.from([8, 9]);
      const entries = Object.entries(properties).map(([key, value]) => entry(key, value));
      const model = Buffer.concat([version, delimited(7, graph), ...entries]);
      expect(modelMetadata(model)).toEqual(new Map(Object.entries(properties)));
    }),
  );
});

test('returns undefined for a model that is cut off or something else', () => {
  const model = entry('character', 'abc');
  expect(modelMetadata(model.subarray(0, -1))).toBeUndefined();
  expect(modelMetadata(Buffer.from('<html>'))).toBeUndefined();
});
