import { setTimeout as sleep } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { describe, expect, it } from 'vitest';
import { batched } from './batched.js';

/** Doubles numbers and remembers which came together. */
function doubling(milliseconds: number, maxBatch: number) {
  const calls: number[][] = [];
  const double = batched(
    async (items: number[]) => {
      calls.push(items);
      await sleep(milliseconds);
      return items.map((item) => 2 * item);
    },
    { maxBatch },
  );
  return { calls, double };
}

describe('batched', () => {
  it('joins what arrives together, and gives each caller its own output', async () => {
    const { calls, double } = doubling(1, 8);
    expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
    expect(calls).toEqual([[1, 2, 3]]);
  });

  it('joins what arrives during a call into the next, in order', async () => {
    const { calls, double } = doubling(20, 8);
    const first = double(1);
    await sleep(10);
    const rest = Promise.all([double(2), double(3)]);
    await first;
    const last = double(4);
    expect(await rest).toEqual([4, 6]);
    expect(await last).toBe(8);
    expect(calls).toEqual([[1], [2, 3], [4]]);
  });

  it('never makes a batch larger than it may be', async () => {
    const { calls, double } = doubling(1, 2);
    expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
    expect(calls).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('runs one call at a time', async () => {
    let running = 0;
    let most = 0;
    const one = batched(
      async (items: number[]) => {
        most = Math.max(most, ++running);
        await sleep(2);
        running--;
        return items;
      },
      { maxBatch: 3 },
    );
    await Promise.all(Array.from({ length: 20 }, (_, i) => sleep(i % 5).then(() => one(i))));
    expect(most).toBe(1);
  });

  it('does not keep a lone item waiting', async () => {
    const { double } = doubling(0, 100);
    await double(0);
    const started = performance.now();
    await double(1);
    expect(performance.now() - started).toBeLessThan(50);
  });

  it('gives an error to the callers of its batch alone, and goes on', async () => {
    const odd = batched(
      async (items: number[]) => {
        if (items.includes(2)) throw new RangeError('two');
        return items;
      },
      { maxBatch: 2 },
    );
    const outcomes = await Promise.allSettled([odd(1), odd(2), odd(3), odd(4)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    await expect(odd(2)).rejects.toThrow(RangeError);
  });

  it('refuses outputs that cannot be matched to the items', async () => {
    const short = batched(async (items: number[]) => items.slice(1), { maxBatch: 4 });
    await expect(Promise.all([short(1), short(2)])).rejects.toMatchObject({
      code: 'shape',
      detail: { field: 'outputs' },
    });
  });

  it.each([0, 1.5, NaN])('refuses a maxBatch of %f', (maxBatch) => {
    expect(() => batched(async (items: number[]) => items, { maxBatch })).toThrow(GyreError);
  });
});
