import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionBucket, batches, contextBucket } from './bucket.js';

describe('buckets', () => {
  it('cover all rows once, in order, in batches of the given sizes with little padding', () => {
    fc.assert(
      fc.property(fc.nat({ max: 200 }), (n) => {
        const split = batches(n, [1, 2, 4, 8, 16]);
        let next = 0;
        for (const { from, rows, size } of split) {
          expect(from).toBe(next);
          expect(rows).toBeLessThanOrEqual(size);
          expect(4 * rows).toBeGreaterThanOrEqual(3 * size);
          next += rows;
        }
        expect(next).toBe(n);
      }),
    );
  });

  it('refuse what is longer than the model takes, and say what to do', () => {
    expect(contextBucket(11)).toBe(24);
    expect(actionBucket(2)).toBe(3);
    expect(() => contextBucket(500)).toThrow(
      expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'context' }) as object }),
    );
  });
});
