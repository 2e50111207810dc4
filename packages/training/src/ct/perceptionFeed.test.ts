import { expect, test } from 'vitest';
import { pageOf } from './perceptionFeed.js';

test('every page is given out once in each pass over its window, in another order, and pages come as they are rendered', () => {
  const window = 512;
  const passes = 3;
  for (const seed of [0, 1]) {
    const orders = Array.from({ length: passes }, (_, pass) =>
      Array.from({ length: window }, (_, n) => pageOf((seed * passes + pass) * window + n, passes)),
    );
    const pages = Array.from({ length: window }, (_, n) => seed * window + n);
    expect(orders[0]).toEqual(pages);
    for (const order of orders) expect([...order].sort((a, b) => a - b)).toEqual(pages);
    expect(new Set(orders.map(String)).size).toBe(passes);
  }
  expect(pageOf(12345, 1)).toBe(12345);
});
