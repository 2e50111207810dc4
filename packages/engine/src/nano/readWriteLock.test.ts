import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReadWriteLock } from './readWriteLock.js';

it('keeps the order, runs readers together and writers alone, also after failures', async () => {
  const call = fc.record({ alone: fc.boolean(), ms: fc.integer({ min: 0, max: 3 }), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
      const lock = new ReadWriteLock();
      const started: number[] = [];
      const running = new Set<number>();
      let together = 0;
      const work = (index: number) => async () => {
        started.push(index);
        running.add(index);
        together = Math.max(together, running.size);
        const others = [...running].filter((one) => one !== index);
        if (calls[index]?.alone) expect(others).toEqual([]);
        expect(others.filter((one) => calls[one]?.alone)).toEqual([]);
        await new Promise((resolve) => setTimeout(resolve, calls[index]?.ms));
        running.delete(index);
        if (calls[index]?.fails) throw new Error(String(index));
        return index;
      };
      const results = await Promise.allSettled(
        calls.map(({ alone }, index) => (alone ? lock.exclusive(work(index)) : lock.shared(work(index)))),
      );
      expect(started).toEqual(calls.map((_, index) => index));
      for (const [index, result] of results.entries()) {
        if (calls[index]?.fails)
          expect(result).toMatchObject({ status: 'rejected', reason: { message: String(index) } });
        else expect(result).toEqual({ status: 'fulfilled', value: index });
      }
      if (calls.length > 1 && calls.every(({ alone }) => !alone)) expect(together).toBe(calls.length);
    }),
    { numRuns: 50 },
  );
});
