import fc from 'fast-check';
import { expect, it } from 'vitest';
import { minibatches } from './slices.js';

it.each([
  [0, 4, []],
  [1, 4, [1]],
  [5, 4, [5]],
  [6, 4, [3, 3]],
  [9, 4, [4, 5]],
  [11, 4, [3, 4, 4]],
  [519, 64, [64, 65, 65, 65, 65, 65, 65, 65]],
])('%i items by %i are slices of %j', (n, size, lengths) => {
  expect(minibatches(Array.from({ length: n }), size).map(({ length }) => length)).toEqual(lengths);
});

it('slices hold every item once, in order; they differ by one at most, and are as near to the size as equal ones can be', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 200 }), (n, size) => {
      const items = Array.from({ length: n }, (_, i) => i);
      const batches = minibatches(items, size);
      expect(batches.flat()).toEqual(items);
      const lengths = batches.map(({ length }) => length);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      expect(Math.abs(batches.length - n / size)).toBeLessThanOrEqual(n < size ? 1 : 0.5);
    }),
    { numRuns: 300 },
  );
});
