import type { UpdatePoint } from './updateLine.js';

/** Adds an update. An iteration that was interrupted is logged twice; the later record counts. */
export function withUpdate(updates: readonly UpdatePoint[], update: UpdatePoint): UpdatePoint[] {
  let count = updates.length;
  while (count > 0 && updates[count - 1]!.environmentSteps >= update.environmentSteps) count--;
  return [...updates.slice(0, count), update];
}

export function allUpdates(points: Iterable<UpdatePoint>): UpdatePoint[] {
  const updates: UpdatePoint[] = [];
  for (const point of points) {
    while (updates.length > 0 && updates.at(-1)!.environmentSteps >= point.environmentSteps) updates.pop();
    updates.push(point);
  }
  return updates;
}

/** Returns the mean over the families that were played. */
export function meanSuccess({ success = {} }: Pick<UpdatePoint, 'success'>): number | undefined {
  const shares = Object.values(success).filter((share) => share !== null);
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
