import type { UpdatePoint } from './updateLine.js';

const maxStretches = 24;

/** Divides the updates that count episodes by family into stretches of equally many, at most 24. */
export function stretchesOf(updates: readonly UpdatePoint[]): UpdatePoint[][] {
  const counted = updates.filter(({ played }) => played !== undefined);
  const size = Math.ceil(counted.length / maxStretches);
  return Array.from({ length: counted.length === 0 ? 0 : Math.ceil(counted.length / size) }, (_, i) =>
    counted.slice(i * size, (i + 1) * size),
  );
}

/** Returns when the rollouts of a stretch began. The first stretch has no beginning. */
export function boundsOf(
  updates: readonly UpdatePoint[],
  stretch: readonly UpdatePoint[],
): { readonly from?: string; readonly to: string } {
  const before = updates[updates.indexOf(stretch[0]!) - 1];
  return {
    ...(before && { from: new Date(before.time).toISOString() }),
    to: new Date(stretch.at(-1)!.time).toISOString(),
  };
}
