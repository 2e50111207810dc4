import { GyreError } from '@gyre/protocol';
import { longestAction, longestContext } from './architecture.js';

/**
 * Graphs have static shapes: lengths are rounded up to a few buckets, each compiled once. Few, because a compilation costs as
 * much as dozens of runs: short for a click or a key after a few turns, long for forms and typed text.
 */
const contextBuckets = [24, 48, longestContext];
const actionBuckets = [1, 2, 8, longestAction];

export function contextBucket(length: number): number {
  return bucket(contextBuckets, length, 'context', 'a shorter instruction or past');
}

export function actionBucket(length: number): number {
  return bucket(actionBuckets, length, 'action', 'a shorter text');
}

function bucket(buckets: readonly number[], length: number, field: string, fix: string): number {
  const found = buckets.find((size) => size >= length);
  if (found === undefined) {
    throw new GyreError('bad_input', `${length} tokens are more than the model takes (${buckets.at(-1)})`, {
      field,
      fix,
    });
  }
  return found;
}

/**
 * Splits `n` rows into batches of the given sizes. A batch is padded to the next size only where at most a quarter of it is
 * padding: padding costs as much as rows.
 */
export function batches(n: number, sizes: readonly number[]): { from: number; rows: number; size: number }[] {
  const ascending = [...sizes].sort((a, b) => a - b);
  const out: { from: number; rows: number; size: number }[] = [];
  for (let from = 0; from < n;) {
    const left = n - from;
    const up = ascending.find((size) => size >= left);
    const size = up !== undefined && 4 * left >= 3 * up ? up : (ascending.findLast((one) => one <= left) ?? up ?? 1);
    const rows = Math.min(left, size);
    out.push({ from, rows, size });
    from += rows;
  }
  return out;
}
