import type { Spot } from '../game.js';

/** Twice the signed area. */
const area = (a: Spot, b: Spot, c: Spot): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

const isBetween = (at: Spot, a: Spot, b: Spot): boolean =>
  at.x >= Math.min(a.x, b.x) && at.x <= Math.max(a.x, b.x) && at.y >= Math.min(a.y, b.y) && at.y <= Math.max(a.y, b.y);

/** Intersects a-b with c-d, ends included. */
export function touch(a: Spot, b: Spot, c: Spot, d: Spot): Spot | undefined {
  const [toC, toD] = [area(a, b, c), area(a, b, d)];
  const [toA, toB] = [area(c, d, a), area(c, d, b)];
  if (toC * toD < 0 && toA * toB < 0) {
    const share = toA / (toA - toB);
    return { x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) };
  }
  if (toC === 0 && isBetween(c, a, b)) return c;
  if (toD === 0 && isBetween(d, a, b)) return d;
  if (toA === 0 && isBetween(a, c, d)) return a;
  if (toB === 0 && isBetween(b, c, d)) return b;
  return undefined;
}

/** Overlap of two threads from a pin: the nearer of their ends b and c. */
export function overlap(pin: Spot, b: Spot, c: Spot): Spot | undefined {
  const alike = (b.x - pin.x) * (c.x - pin.x) + (b.y - pin.y) * (c.y - pin.y);
  if (area(pin, b, c) !== 0 || alike <= 0) return undefined;
  return Math.hypot(b.x - pin.x, b.y - pin.y) < Math.hypot(c.x - pin.x, c.y - pin.y) ? b : c;
}

export type Thread = readonly [number, number];

/** Ignores threads that meet at a shared pin. */
export function touches(threads: readonly Thread[], pins: readonly Spot[]): { pair: [number, number]; spot: Spot }[] {
  const pairs: { pair: [number, number]; spot: Spot }[] = [];
  for (const [index, thread] of threads.entries()) {
    for (let otherIndex = 0; otherIndex < index; otherIndex++) {
      const spot = touchOf(thread, threads[otherIndex]!, pins);
      if (spot) pairs.push({ pair: [otherIndex, index], spot });
    }
  }
  return pairs;
}

export function touchOf([a, b]: Thread, [c, d]: Thread, pins: readonly Spot[]): Spot | undefined {
  const spotOf = (pin: number) => pins[pin]!;
  if (a === c) return overlap(spotOf(a), spotOf(b), spotOf(d));
  if (a === d) return overlap(spotOf(a), spotOf(b), spotOf(c));
  if (b === c) return overlap(spotOf(b), spotOf(a), spotOf(d));
  if (b === d) return overlap(spotOf(b), spotOf(a), spotOf(c));
  return touch(spotOf(a), spotOf(b), spotOf(c), spotOf(d));
}
