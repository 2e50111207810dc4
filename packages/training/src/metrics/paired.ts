import { type Share, correlation, mean, wilsonOfMean } from './statistics.js';
import type { Gain } from './evaluate.js';

/** A task's attempts by two policies. Each has at least one. */
export interface PairedTask {
  readonly before: readonly boolean[];
  readonly after: readonly boolean[];
}

export interface PairedComparison {
  tasks: number;
  before: Share;
  after: Share;
  difference: Gain;
  /** Two-sided, exact. */
  p: number;
}

/** Finer attempt counts are rounded to this, so that the exact test stays small. */
const maxScale = 5040;

/**
 * Compares two policies on the same tasks, each of which counts once, whatever its number of attempts.
 *
 * The intervals of the rates are Wilson's over tasks. The interval of the difference joins them by their correlation
 * (Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions based on paired data",
 * method 8). `p` is of the sign-flip test, which is McNemar's exact test for one attempt per task.
 */
export function comparePaired(tasks: readonly PairedTask[]): PairedComparison {
  const [before, after] = (['before', 'after'] as const).map((side) => tasks.map((task) => rate(task[side]))) as [
    number[],
    number[],
  ];
  const [start, end] = [before, after].map((rates) =>
    wilsonOfMean(rates.length === 0 ? 0 : mean(rates), rates.length),
  ) as [Share, Share];
  const counts = tasks.flatMap((task) => [task.before.length, task.after.length]);
  const scale = Math.min(maxScale, counts.reduce(leastCommonMultiple, 1));
  const flips = tasks.map((_, i) => Math.round((after[i]! - before[i]!) * scale));
  return {
    tasks: tasks.length,
    before: start,
    after: end,
    difference: differenceOf(start, end, tasks.length === 0 ? NaN : correlation(before, after)),
    p: signFlipTest(flips),
  };
}

/** @param phi correlation of the two; NaN if one is constant */
function differenceOf(before: Share, after: Share, phi: number): Gain {
  const joined = (own: number, opposite: number) =>
    Math.sqrt(Math.max(0, own ** 2 - 2 * (Number.isNaN(phi) ? 0 : phi) * own * opposite + opposite ** 2));
  const difference = after.success - before.success;
  return {
    mean: difference,
    low: Math.max(-1, difference - joined(after.success - after.low, before.high - before.success)),
    high: Math.min(1, difference + joined(after.high - after.success, before.success - before.low)),
  };
}

/**
 * Returns the exact two-sided p of Fisher's sign-flip test: the share of all assignments of signs whose sum is at least
 * as far from 0. With differences of -1, 0 and 1 it is McNemar's exact test.
 * @param differences integers
 */
export function signFlipTest(differences: readonly number[]): number {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const divisor = sizes.reduce(greatestCommonDivisor, 0);
  if (divisor === 0) return 1;
  const observed = Math.abs(differences.reduce((sum, difference) => sum + difference, 0)) / divisor;
  // Probabilities of the sum of the positive differences; the sum of all signs is twice that minus the total.
  let total = 0;
  let sums = new Float64Array([1]);
  for (const size of sizes) {
    const step = size / divisor;
    const next = new Float64Array(total + step + 1);
    for (let sum = 0; sum <= total; sum++) {
      next[sum]! += sums[sum]! / 2;
      next[sum + step]! += sums[sum]! / 2;
    }
    sums = next;
    total += step;
  }
  let p = 0;
  for (let sum = 0; sum <= total; sum++) if (Math.abs(2 * sum - total) >= observed) p += sums[sum]!;
  return Math.min(1, p);
}

/** Returns the adjusted p of each (Holm 1979), which bounds the chance of any false discovery among them. */
export function holm(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  const order = ps.map((_, index) => index).sort((a, b) => ps[a]! - ps[b]!);
  let largest = 0;
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (ps.length - rank) * ps[index]!));
    adjusted[index] = largest;
  }
  return adjusted;
}

const rate = (attempts: readonly boolean[]) => attempts.filter(Boolean).length / attempts.length;

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}
