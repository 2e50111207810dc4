import { Random } from '@gyre/engine';
import { GyreError } from '@gyre/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapMean, correlation, explainedVariance, klK3, mean, std, wilson } from './statistics.js';

const real = fc.double({ min: -100, max: 100, noNaN: true });
const reals = (minLength: number) => fc.array(real, { minLength, maxLength: 40 });

describe('mean and std', () => {
  it('are those of the values themselves', () => {
    expect(mean([2, 4, 4, 4, 5, 5, 7, 9])).toBe(5);
    expect(std([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2);
    expect(mean([])).toBeNaN();
    expect(std([])).toBeNaN();
  });
});

describe('wilson', () => {
  // Newcombe 1998, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i successes in %i is %f..%f', (successes, n, low, high) => {
    const share = wilson(successes, n, 1.959964);
    expect(share.success).toBeCloseTo(successes / n, 12);
    expect(share.low).toBeCloseTo(low, 4);
    expect(share.high).toBeCloseTo(high, 4);
  });

  it('spans 0..1 for n = 0', () => {
    expect(wilson(0, 0)).toEqual({ success: 0, low: 0, high: 1 });
  });

  it('holds the share, stays within 0..1, and mirrors failures', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, part) => {
        const successes = Math.round(part * n);
        const { success, low, high } = wilson(successes, n);
        expect(0 <= low && low <= success && success <= high && high <= 1).toBe(true);
        expect(wilson(n - successes, n).low).toBeCloseTo(1 - high, 9);
      }),
    );
  });

  it.each([
    [3, 2],
    [-1, 2],
    [0.5, 2],
  ])('refuses %f of %i', (successes, n) => {
    expect(() => wilson(successes, n)).toThrow(GyreError);
  });
});

describe('explainedVariance', () => {
  it('is 1 for a perfect critic, 0 for a constant one, negative for a wrong one', () => {
    expect(explainedVariance([1, 2, 3], [1, 2, 3])).toBe(1);
    expect(explainedVariance([7, 7, 7], [1, 2, 3])).toBeCloseTo(0, 12);
    expect(explainedVariance([3, 2, 1], [1, 2, 3])).toBeCloseTo(-3, 12);
    // Variances 1/4 and 5/4.
    expect(explainedVariance([0, 0, 2, 2], [0, 1, 2, 3])).toBeCloseTo(0.8, 12);
  });

  it('does not mind a constant error', () => {
    expect(explainedVariance([11, 12, 13], [1, 2, 3])).toBeCloseTo(1, 12);
  });

  it('is not a number where there is nothing to explain', () => {
    expect(explainedVariance([1, 2], [5, 5])).toBeNaN();
  });

  it('refuses lists of different lengths', () => {
    expect(() => explainedVariance([1], [1, 2])).toThrow(GyreError);
  });
});

describe('correlation', () => {
  it('is 1 along a rising line, -1 along a falling one, and no number for a constant', () => {
    expect(correlation([1, 2, 4], [3, 5, 9])).toBeCloseTo(1, 12);
    expect(correlation([1, 2, 4], [-1, -2, -4])).toBeCloseTo(-1, 12);
    // Covariance 1/3, variances 2/3.
    expect(correlation([1, 2, 3], [1, 0, 2])).toBeCloseTo(0.5, 12);
    expect(correlation([1, 1], [1, 2])).toBeNaN();
    expect(() => correlation([1], [1, 2])).toThrow(GyreError);
  });
});

describe('klK3', () => {
  it('is the mean of (r - 1) - log r', () => {
    expect(klK3([Math.log(0.5)], [Math.log(0.25)])).toBeCloseTo(2 - 1 - Math.log(2), 12);
    expect(klK3([-1, -2], [-1, -2])).toBe(0);
  });

  it('is never negative', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(real, real), { minLength: 1, maxLength: 20 }), (pairs) => {
        const small = pairs.map(([a, b]) => [a / 10, b / 10] as const);
        expect(
          klK3(
            small.map(([a]) => a),
            small.map(([, b]) => b),
          ),
        ).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('estimates the divergence of the old policy from the new', () => {
    const old = [0.5, 0.3, 0.2];
    const now = [0.4, 0.4, 0.2];
    const exact = old.reduce((sum, p, i) => sum + p * Math.log(p / now[i]!), 0);
    const random = new Random(1);
    const draws = Array.from({ length: 100_000 }, () => {
      const u = random.next();
      return u < 0.5 ? 0 : u < 0.8 ? 1 : 2;
    });
    const estimate = klK3(
      draws.map((i) => Math.log(now[i]!)),
      draws.map((i) => Math.log(old[i]!)),
    );
    expect(Math.abs(estimate - exact)).toBeLessThan(5e-4);
  });
});

describe('bootstrapMean', () => {
  const interval = (scores: number[], seed: number) => bootstrapMean(scores, random(seed));
  const random = (seed: number) => {
    const generator = new Random(seed);
    return () => generator.next();
  };

  it('gives the same interval for the same seed', () => {
    const scores = [0, 0.5, 1, 0.25, 0.75, 1];
    expect(interval(scores, 7)).toEqual(interval(scores, 7));
  });

  it('holds the mean and stays within the scores', () => {
    fc.assert(
      fc.property(reals(1), fc.nat(), (scores, seed) => {
        const { mean: centre, low, high } = bootstrapMean(scores, random(seed), { resamples: 100 });
        const slack = 1e-9;
        expect(low).toBeGreaterThanOrEqual(Math.min(...scores) - slack);
        expect(high).toBeLessThanOrEqual(Math.max(...scores) + slack);
        expect(low).toBeLessThanOrEqual(high);
        expect(centre).toBeCloseTo(mean(scores), 12);
      }),
      { numRuns: 50 },
    );
  });

  it('is about as wide as the normal interval of many scores', () => {
    const draw = random(3);
    const scores = Array.from({ length: 400 }, draw);
    const { low, high } = interval(scores, 4);
    const normal = (2 * 1.96 * std(scores)) / Math.sqrt(scores.length);
    expect((high - low) / normal).toBeGreaterThan(0.9);
    expect((high - low) / normal).toBeLessThan(1.1);
  });

  it('refuses an empty list of scores', () => {
    expect(() => interval([], 1)).toThrow(GyreError);
  });
});
