import { Random } from '@gyre/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PairedTask, comparePaired, holm, signFlipTest } from './paired.js';

/** Tries all signs. */
function byAllSigns(differences: readonly number[]): number {
  const observed = Math.abs(differences.reduce((a, b) => a + b, 0));
  let extreme = 0;
  for (let signs = 0; signs < 2 ** differences.length; signs++) {
    const sum = differences.reduce((total, size, i) => total + ((signs >> i) & 1 ? size : -size), 0);
    if (Math.abs(sum) >= observed) extreme++;
  }
  return extreme / 2 ** differences.length;
}

test('the sign-flip test counts all assignments of signs', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 10 }), (differences) => {
      expect(signFlipTest(differences)).toBeCloseTo(byAllSigns(differences), 12);
    }),
  );
});

/** `2 P(X <= min(b, c))` for X ~ Binomial(b + c, 1/2). */
function mcnemar(b: number, c: number): number {
  let [term, tail] = [2 ** -(b + c), 0];
  for (let i = 0; i <= Math.min(b, c); i++) {
    tail += term;
    term *= (b + c - i) / (i + 1);
  }
  return Math.min(1, 2 * tail);
}

const once = (before: boolean, after: boolean): PairedTask => ({ before: [before], after: [after] });
const times = (count: number, task: PairedTask) => Array.from({ length: count }, () => task);
const table = (both: number, gained: number, lost: number, neither: number) => [
  ...times(both, once(true, true)),
  ...times(gained, once(false, true)),
  ...times(lost, once(true, false)),
  ...times(neither, once(false, false)),
];

test('with one attempt per task it is McNemar’s exact test', () => {
  fc.assert(
    fc.property(fc.nat(30), fc.nat(30), fc.nat(5), (gained, lost, both) => {
      expect(comparePaired(table(both, gained, lost, 3)).p).toBeCloseTo(mcnemar(gained, lost), 10);
    }),
  );
});

// Newcombe 1998, table II: methods 8 and 10 agree where the correlation is not positive.
test('the interval of the difference is the published one', () => {
  const { difference } = comparePaired(table(36, 12, 2, 0));
  expect(difference.mean).toBeCloseTo(0.2, 12);
  expect(difference.low).toBeCloseTo(0.0569, 3);
  expect(difference.high).toBeCloseTo(0.3404, 3);
});

test('the interval holds the difference, mirrors swapped runs, and is not empty where all tasks agree', () => {
  const attempts = fc.array(fc.boolean(), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(fc.record({ before: attempts, after: attempts }), { maxLength: 30 }), (tasks) => {
      const { difference, p, before, after } = comparePaired(tasks);
      const swapped = comparePaired(tasks.map((task) => ({ before: task.after, after: task.before })));
      expect(difference.mean).toBeCloseTo(after.success - before.success, 12);
      expect(difference.low).toBeLessThanOrEqual(difference.mean);
      expect(difference.high).toBeGreaterThanOrEqual(difference.mean);
      expect(swapped.difference.low).toBeCloseTo(-difference.high, 9);
      expect(swapped.p).toBeCloseTo(p, 12);
      expect(p).toBeGreaterThan(0);
      expect(p).toBeLessThanOrEqual(1);
    }),
  );
  const { difference, p } = comparePaired(table(5, 0, 0, 0));
  expect(difference.low).toBeLessThan(0);
  expect(difference.high).toBeGreaterThan(0);
  expect(p).toBe(1);
  expect(comparePaired([])).toMatchObject({ tasks: 0, difference: { mean: 0, low: -1, high: 1 }, p: 1 });
});

test('a task counts once, whatever its number of attempts', () => {
  const tasks = [
    { before: [false, false, false], after: [true] },
    { before: [true], after: [true, false, false, false] },
  ];
  const { before, after, difference, p } = comparePaired(tasks);
  expect([before.success, after.success, difference.mean]).toEqual([0.5, 0.625, 0.125]);
  // Differences of 1 and -3/4: |sum| is 1/4 or 7/4.
  expect(p).toBe(1);
});

test('95 % of the intervals hold the true difference, with repeated attempts of one task too', () => {
  const random = new Random(5);
  const draw = (p: number, count: number) => Array.from({ length: count }, () => random.next() < p);
  for (const attempts of [1, 4]) {
    let covered = 0;
    const runs = 1000;
    for (let run = 0; run < runs; run++) {
      const tasks = Array.from({ length: 40 }, () => {
        const hardness = random.next();
        // Means 1/2 and 2/3.
        return { before: draw(hardness, attempts), after: draw(Math.sqrt(hardness), attempts) };
      });
      const { low, high } = comparePaired(tasks).difference;
      if (low <= 1 / 6 && 1 / 6 <= high) covered++;
    }
    expect(covered / runs).toBeGreaterThan(0.93);
  }
});

test('Holm’s adjustment is the closed test by Bonferroni', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 7 }), (ps) => {
      const closed = ps.map((_, i) => {
        let worst = 0;
        for (let subset = 0; subset < 2 ** ps.length; subset++) {
          if (!((subset >> i) & 1)) continue;
          const members = ps.filter((_, j) => (subset >> j) & 1);
          worst = Math.max(worst, Math.min(1, members.length * Math.min(...members)));
        }
        return worst;
      });
      const adjusted = holm(ps);
      expect(adjusted).toHaveLength(ps.length);
      for (const [i, p] of adjusted.entries()) expect(p).toBeCloseTo(closed[i]!, 12);
    }),
  );
});
