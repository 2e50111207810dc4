import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoupledGae, gae, groupAdvantages, lengthAdaptiveLambda, returns } from '../advantages/advantage.js';
import { behaviourWeights } from './correction.js';
import { correlation, explainedVariance, klK3, mean, std, wilson } from '../metrics/statistics.js';

/** 64-bit formulas as matrices and sums over pairs, to share no mistakes with the implementation. */

type Matrix = number[][];

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const times = (m: Matrix, v: readonly number[]) => m.map((row) => dot(row, v));
const plus = (a: readonly number[], b: readonly number[]) => a.map((x, i) => x + b[i]!);
const scaled = (k: number, v: readonly number[]) => v.map((x) => k * x);
const matrix = (n: number, entry: (row: number, column: number) => number): Matrix =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j)));

/** `U_ij = k^(j - i)` on and above the diagonal. */
const toCome = (n: number, k: number) => matrix(n, (i, j) => (j < i ? 0 : k ** (j - i)));
const shifted = (v: readonly number[], last: number) =>
  plus(
    times(
      matrix(v.length, (i, j) => (j === i + 1 ? 1 : 0)),
      v,
    ),
    v.map((_, i) => (i === v.length - 1 ? last : 0)),
  );

function returnsByMatrix(rewards: number[], gamma: number, bootstrap: number): number[] {
  const n = rewards.length;
  const tail = rewards.map((_, t) => gamma ** (n - t) * bootstrap);
  return plus(times(toCome(n, gamma), rewards), tail);
}

function gaeByMatrix(rewards: number[], values: number[], gamma: number, lambda: number, bootstrap: number): number[] {
  const deltas = plus(plus(rewards, scaled(gamma, shifted(values, bootstrap))), scaled(-1, values));
  return times(toCome(rewards.length, gamma * lambda), deltas);
}

const differences = (x: readonly number[]) => x.map((xi) => x.reduce((sum, xj) => sum + (xi - xj), 0) / x.length);
const variance = (x: readonly number[]) =>
  x.reduce((sum, xi) => sum + x.reduce((inner, xj) => inner + (xi - xj) ** 2, 0), 0) / (2 * x.length ** 2);

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, want] of expected.entries()) {
    expect(Math.abs(actual[i]! - want)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(want)));
  }
}

const real = fc.double({ min: -10, max: 10, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const logprob = fc.double({ min: -8, max: 0, noNaN: true });
const steps = fc.array(fc.record({ reward: real, value: real }), { minLength: 1, maxLength: 40 });
const several = fc.array(real, { minLength: 2, maxLength: 24 });
const pairs = <T>(one: fc.Arbitrary<T>) => fc.array(fc.tuple(one, one), { minLength: 2, maxLength: 24 });
const columns = <T>(rows: readonly (readonly [T, T])[]) => [rows.map(([a]) => a), rows.map(([, b]) => b)] as const;

describe('an independent implementation in 64 bits agrees to 1e-6', () => {
  it('on returns', () => {
    fc.assert(
      fc.property(fc.array(real, { maxLength: 40 }), share, real, (rewards, gamma, bootstrap) => {
        expectClose(returns(rewards, gamma, bootstrap), returnsByMatrix(rewards, gamma, bootstrap));
      }),
    );
  });

  it('on GAE and decoupled GAE', () => {
    fc.assert(
      fc.property(steps, share, share, share, real, (both, gamma, lambdaPolicy, lambdaCritic, bootstrap) => {
        const rewards = both.map(({ reward }) => reward);
        const values = both.map(({ value }) => value);
        const input = { rewards, values, gamma, bootstrap };
        const policy = gaeByMatrix(rewards, values, gamma, lambdaPolicy, bootstrap);
        expectClose(gae({ ...input, lambda: lambdaPolicy }), policy);
        const estimates = decoupledGae({ ...input, lambdaPolicy, lambdaCritic });
        expectClose(estimates.advantages, policy);
        expectClose(estimates.returns, plus(values, gaeByMatrix(rewards, values, gamma, lambdaCritic, bootstrap)));
      }),
    );
  });

  it('on GAE across gaps, which it computes on the sequence without them', () => {
    const gap = fc.array(real, { maxLength: 3 });
    const turns = fc.array(fc.record({ token: fc.record({ reward: real, value: real }), after: gap }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(gap, turns, share, share, real, (before, turnRewards, gamma, lambda, bootstrap) => {
        const sampled = { rewards: [] as number[], values: [] as number[] };
        const masked = { rewards: [...before], values: before.map(() => 99), mask: before.map(() => 0) };
        for (const { token, after } of turnRewards) {
          sampled.rewards.push(token.reward + after.reduce((sum, reward) => sum + reward, 0));
          sampled.values.push(token.value);
          masked.rewards.push(token.reward, ...after);
          masked.values.push(token.value, ...after.map(() => -99));
          masked.mask.push(1, ...after.map(() => 0));
        }
        const estimates = gae({ ...masked, gamma, lambda, bootstrap });
        expectClose(
          estimates.filter((_, t) => masked.mask[t] === 1),
          gaeByMatrix(sampled.rewards, sampled.values, gamma, lambda, bootstrap),
        );
        expect(estimates.filter((advantage, t) => masked.mask[t] === 0 && advantage !== 0)).toEqual(new Float32Array());
      }),
    );
  });

  it('on groups: all pairs of attempts compared', () => {
    fc.assert(
      fc.property(several, fc.boolean(), fc.boolean(), (x, normalise, leaveOneOut) => {
        fc.pre(variance(x) > 1e-4);
        const n = x.length;
        const sample = Math.sqrt((variance(x) * n) / (n - 1)) + 1e-6;
        // Subtracting the mean of the others equals averaging the n - 1 differences.
        const compared = differences(x).map((d) => (leaveOneOut ? (d * n) / (n - 1) : d));
        expectClose(
          groupAdvantages(x, { normalise, leaveOneOut }),
          compared.map((d) => (normalise ? d / sample : d)),
        );
      }),
    );
  });

  it('on the length-adaptive lambda: its powers, summed, are alpha times the length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.double({ min: 0.05, max: 1, noNaN: true }), (length, alpha) => {
        fc.pre(alpha * length > 1);
        const lambda = lengthAdaptiveLambda(length, alpha);
        const sum = Array.from({ length: 20_000 }, (_, t) => lambda ** t).reduce((a, b) => a + b, 0);
        expectClose([sum], [alpha * length]);
      }),
      { numRuns: 20 },
    );
  });

  it('on importance weights, which are quotients of probabilities', () => {
    fc.assert(
      fc.property(pairs(logprob), fc.double({ min: 1, max: 20, noNaN: true }), (rows, cap) => {
        const [now, then] = columns(rows);
        expectClose(
          behaviourWeights(now, then, cap),
          now.map((logp, t) => {
            const quotient = Math.exp(logp) / Math.exp(then[t]!);
            return quotient < cap ? quotient : cap;
          }),
        );
      }),
    );
  });

  it('on mean, deviation, explained variance and correlation', () => {
    fc.assert(
      fc.property(pairs(real), (rows) => {
        const [a, b] = columns(rows);
        fc.pre(variance(a) > 1e-3 && variance(b) > 1e-3);
        expectClose([mean(a), std(a) ** 2], [a.reduce((sum, x) => sum + x / a.length, 0), variance(a)]);
        expectClose([explainedVariance(a, b)], [1 - variance(b.map((x, i) => x - a[i]!)) / variance(b)]);
        // cov(a, b) = (var(a + b) - var(a) - var(b)) / 2
        const together = (variance(plus(a, b)) - variance(a) - variance(b)) / 2;
        expectClose([correlation(a, b)], [together / Math.sqrt(variance(a) * variance(b))]);
      }),
    );
  });

  it('on the k3 estimate, in probabilities', () => {
    fc.assert(
      fc.property(pairs(logprob), (rows) => {
        const [now, then] = columns(rows);
        const terms = now.map((logp, t) => {
          const [p, q] = [Math.exp(logp), Math.exp(then[t]!)];
          return (p - q) / q + Math.log(q / p);
        });
        expectClose([klK3(now, then)], [terms.reduce((sum, term) => sum + term / terms.length, 0)]);
      }),
    );
  });

  it('on Wilson intervals, whose ends are where the score test turns: (p - x)^2 n = z^2 x (1 - x)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), share, (n, part) => {
        const successes = Math.round(part * n);
        const { low, high } = wilson(successes, n);
        for (const x of [low, high]) expectClose([(successes / n - x) ** 2 * n], [1.96 ** 2 * x * (1 - x)]);
      }),
    );
  });
});
