import type { Review } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { agreementOf, f1, kappa } from './agreement.js';

const pairs = (counts: readonly [boolean, boolean, number][]) =>
  counts.flatMap(([a, b, count]) => Array.from({ length: count }, () => [a, b] as const));

test('kappa is that of the example on Wikipedia, and 1 or undefined at the ends', () => {
  const example = pairs([
    [true, true, 20],
    [true, false, 5],
    [false, true, 10],
    [false, false, 15],
  ]);
  expect(kappa(example)).toBeCloseTo(0.4, 10);
  expect(
    kappa(
      pairs([
        [true, true, 2],
        [false, false, 1],
      ]),
    ),
  ).toBe(1);
  expect(kappa(pairs([[true, true, 4]]))).toBeUndefined();
  expect(kappa([])).toBeUndefined();
});

test('F1 counts false successes and false failures', () => {
  expect(
    f1(
      pairs([
        [true, true, 6],
        [true, false, 2],
        [false, true, 1],
        [false, false, 9],
      ]),
    ),
  ).toBeCloseTo(12 / 15, 10);
  expect(f1(pairs([[false, false, 3]]))).toBeUndefined();
});

test('the last review of a person counts, and disputed episodes judge no verifier', () => {
  const review = (episode: string, by: string, success: boolean): Review => ({
    ...{ episode, by, success, at: '2026-11-30T19:00:00.000Z', verdict: 'accept' },
  });
  const reviews = [
    ...[review('a', 'ann', false), review('a', 'ann', true), review('a', 'bob', true)],
    ...[review('b', 'ann', true), review('b', 'bob', false)],
    ...[review('c', 'bob', false), review('d', 'ann', false), review('d', 'bob', false)],
  ];
  const verdict = (success: boolean) => ({ success, source: 'verifier' as const });
  const verdicts = new Map([
    ['a', verdict(true)],
    ['b', verdict(true)],
    ['c', verdict(true)],
    ['d', verdict(false)],
  ]);
  expect(agreementOf(reviews, verdicts)).toEqual({
    ...{ reviews: 8, pairs: 3, disputed: ['b'] },
    kappa: kappa([
      [true, true],
      [true, false],
      [false, false],
    ]),
    judges: [{ source: 'verifier', episodes: 3, f1: 2 / 3 }],
  });
});
