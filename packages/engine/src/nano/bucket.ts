import { GyreError } from '@gyre/protocol';
import { longestAction, longestContext } from './architecture.js';

/** Lengths are rounded up: compiling a shape costs dozens of runs. */
const contextBuckets = [24, 48, 96, longestContext];
const actionBuckets = [1, 3, 10, 24, longestAction];

export function contextBucket(length: number): number {
  return bucket(contextBuckets, length, 'context', 'shorten the instruction or the history');
}

export function actionBucket(length: number): number {
  return bucket(actionBuckets, length, 'action', 'shorten the text');
}

function bucket(buckets: readonly number[], length: number, field: string, fix: string): number {
  const fitting = buckets.find((size) => size >= length);
  if (fitting === undefined) {
    throw new GyreError('bad_input', `${length} tokens exceed the model's limit of ${buckets.at(-1) ?? 0}`, {
      field,
      fix,
    });
  }
  return fitting;
}

/** Larger batches cost memory without gaining speed. */
const maxCells = 4096;

/** Returns the batch sizes for screenshots of `cells` cells; always at least 1. */
export function batchSizesFor(cells: number, sizes: readonly number[]): number[] {
  return sizes.filter((size) => size === 1 || size * cells <= maxCells);
}

export function batches(n: number, sizes: readonly number[]): { from: number; rows: number; size: number }[] {
  const ascending = [...sizes].sort((a, b) => a - b);
  const out: { from: number; rows: number; size: number }[] = [];
  for (let from = 0; from < n;) {
    const remaining = n - from;
    const up = ascending.find((size) => size >= remaining);
    const size =
      up !== undefined && 4 * remaining >= 3 * up ? up : (ascending.findLast((one) => one <= remaining) ?? up ?? 1);
    const rows = Math.min(remaining, size);
    out.push({ from, rows, size });
    from += rows;
  }
  return out;
}

export function grouped<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
