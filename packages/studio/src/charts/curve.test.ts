import fc from 'fast-check';
import { expect, test } from 'vitest';
import { meanOfCurves, smoothed } from './curve.js';

test('a smoothed curve stays within the values, and begins with the first', () => {
  const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 0.95, noNaN: true }), (series, weight) => {
      const curve = smoothed(series, weight);
      expect(curve[0]).toBeCloseTo(series[0]!, 6);
      const room = 1e-6 * Math.max(1, ...series.map(Math.abs));
      for (const value of curve) {
        expect(value).toBeGreaterThanOrEqual(Math.min(...series) - room);
        expect(value).toBeLessThanOrEqual(Math.max(...series) + room);
      }
    }),
  );
  expect(smoothed([3, 5, 1], 0)).toEqual([3, 5, 1]);
});

test('the mean of seeds has an interval of Student, where all of them have values', () => {
  const curve = (name: string, ...ys: number[]) => ({ name, points: ys.map((y, i) => ({ x: 10 * i, y })) });
  const longer = {
    name: 'c',
    points: [
      { x: 5, y: 3 },
      { x: 15, y: 3 },
      { x: 99, y: 3 },
    ],
  };
  const { points } = meanOfCurves('mean', [curve('a', 1, 1, 1), curve('b', 2, 2, 2), longer]);
  expect(points.map(({ x }) => x)).toEqual([5, 10, 15, 20]);
  for (const { y, low, high } of points) {
    expect(y).toBeCloseTo(2, 12);
    // t of 2 degrees of freedom, with a standard deviation of 1.
    expect(high! - y).toBeCloseTo(4.303 / Math.sqrt(3), 3);
    expect(y - low!).toBeCloseTo(4.303 / Math.sqrt(3), 3);
  }
});
