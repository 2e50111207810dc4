import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestOnSimplex } from './simplex.js';

const near = (place: readonly number[]) => (weights: readonly number[]) =>
  Promise.resolve(-weights.reduce((sum, weight, i) => sum + (weight - place[i]!) ** 2, 0));

test('two weights: tries every grid point once and finds the best', async () => {
  const { best, tried } = await bestOnSimplex(2, 4, near([0.3, 0.7]));
  expect(best.weights).toEqual([0.25, 0.75]);
  expect(tried.map(({ weights }) => weights)).toEqual([
    [0, 1],
    [0.25, 0.75],
    [0.5, 0.5],
    [0.75, 0.25],
    [1, 0],
  ]);
});

test('ties go to the first', async () => {
  const { best } = await bestOnSimplex(2, 2, () => Promise.resolve(1));
  expect(best).toEqual({ weights: [0, 1], score: 1 });
});

test('more weights: coordinate descent, which reaches corners from the middle', async () => {
  const { best, tried } = await bestOnSimplex(3, 4, near([0, 1, 0]));
  expect(tried[0]?.weights).toEqual([0.5, 0.25, 0.25]);
  expect(best.weights).toEqual([0, 1, 0]);
});

test('for any score, weights lie on the grid, sum to 1 and never repeat, and the best is returned', async () => {
  const place = fc.integer({ min: 2, max: 5 }).chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: 6 })));
  await fc.assert(
    fc.asyncProperty(place, fc.integer(), async ([n, parts], salt) => {
      const hash = (weights: readonly number[]) =>
        Promise.resolve(weights.reduce((sum, weight, i) => Math.sin(1000 * sum + salt + 7 * i + 31 * weight), 0));
      const { best, tried } = await bestOnSimplex(n, parts, hash);
      for (const { weights, score } of tried) {
        const counts = weights.map((weight) => Math.round(weight * parts));
        expect(counts.map((count) => count / parts)).toEqual(weights);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(parts);
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(best.score);
      }
      expect(new Set(tried.map(({ weights }) => weights.join(' '))).size).toBe(tried.length);
    }),
    { numRuns: 60 },
  );
});

test('refuses a single weight', async () => {
  await expect(bestOnSimplex(1, 4, () => Promise.resolve(0))).rejects.toThrow(GyreError);
});
