import { expect, test } from 'vitest';
import { averaged } from './curves.js';

test('a long curve is averaged over equal stretches, leaving out what is no number', () => {
  const points = Array.from({ length: 600 }, (_, i): [number, number] => [i, i % 2]);
  const short = averaged([...points, [600, NaN]]);
  expect(short).toHaveLength(150);
  expect(short[0]).toEqual([1.5, 0.5]);
});

test('a short curve stays as it is', () => {
  expect(
    averaged([
      [0, 3],
      [1, 2],
    ]),
  ).toEqual([
    [0, 3],
    [1, 2],
  ]);
});
