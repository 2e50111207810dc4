import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passAtK, passHatK } from './passAt.js';

function* subsets(n: number, k: number, from = 0): Generator<number[]> {
  if (k === 0) {
    yield [];
    return;
  }
  for (let first = from; first < n; first++) for (const rest of subsets(n, k - 1, first + 1)) yield [first, ...rest];
}

test('both are the shares of all choices of k attempts that hold a success, or nothing else', () => {
  const cases = fc
    .array(fc.boolean(), { minLength: 1, maxLength: 8 })
    .chain((attempts) => fc.tuple(fc.constant(attempts), fc.integer({ min: 1, max: attempts.length })));
  fc.assert(
    fc.property(cases, ([attempts, k]) => {
      const choices = [...subsets(attempts.length, k)];
      const share = (holds: (choice: number[]) => boolean) => choices.filter(holds).length / choices.length;
      const successes = attempts.filter(Boolean).length;
      expect(passAtK(attempts.length, successes, k)).toBeCloseTo(
        share((choice) => choice.some((i) => attempts[i])),
        12,
      );
      expect(passHatK(attempts.length, successes, k)).toBeCloseTo(
        share((choice) => choice.every((i) => attempts[i])),
        12,
      );
    }),
  );
});

test('many attempts do not overflow', () => {
  expect(passAtK(10_000, 100, 100)).toBeCloseTo(1 - 0.99 ** 100, 2);
  expect(passHatK(10_000, 9_900, 100)).toBeCloseTo(0.99 ** 100, 2);
});

test.each([
  [2, 3, 1],
  [2, 1, 3],
  [2, 1, 0],
  [2, 0.5, 1],
])('refuses %f attempts, %f successes, k = %f', (n, c, k) => {
  expect(() => passAtK(n, c, k)).toThrow(GyreError);
});
