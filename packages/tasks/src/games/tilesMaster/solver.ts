import { type TilesLevel, type TilesState, coversOf, traySize } from './tiles.js';

interface Stack {
  readonly on: readonly (readonly number[])[];
  readonly under: readonly (readonly number[])[];
}

const known = new WeakMap<TilesLevel, Stack>();

function stackOf(level: TilesLevel): Stack {
  const cached = known.get(level);
  if (cached) return cached;
  const on = coversOf(level.tiles);
  const under = on.map((_, index) => [...on.keys()].filter((lower) => on[lower]?.includes(index)));
  known.set(level, { on, under });
  return { on, under };
}

const maxStates = 3000;

/**
 * Depth-first search, completing three of a kind first. Deterministic: after the first tile of an order, it finds the
 * rest of the same order.
 */
export function solveTiles({ left: remainingTiles, tray }: TilesState, level: TilesLevel): number[] | undefined {
  const { tiles } = level;
  const { on, under } = stackOf(level);
  const isLeft = new Array<boolean>(tiles.length).fill(false);
  for (const index of remainingTiles) isLeft[index] = true;
  /** Remaining tiles on each. */
  const weight = on.map((upper) => upper.filter((index) => isLeft[index]).length);
  const trayCounts = new Map<number, number>();
  for (const kind of tray) trayCounts.set(kind, (trayCounts.get(kind) ?? 0) + 1);
  const failed = new Set<string>();
  const order: number[] = [];
  let looked = 0;

  const search = (remaining: number, inTray: number): boolean => {
    if (remaining === 0) return true;
    if (inTray >= traySize || looked++ > maxStates) return false;
    const key = isLeft.map(Number).join('');
    if (failed.has(key)) return false;
    for (const index of candidates()) {
      const kind = tiles[index]?.kind ?? 0;
      const count = trayCounts.get(kind) ?? 0;
      take(index, -1);
      trayCounts.set(kind, (count + 1) % 3);
      order.push(index);
      if (search(remaining - 1, count === 2 ? inTray - 2 : inTray + 1)) return true;
      order.pop();
      trayCounts.set(kind, count);
      take(index, 1);
      if (looked > maxStates) break;
    }
    failed.add(key);
    return false;
  };

  function take(index: number, step: 1 | -1): void {
    isLeft[index] = step > 0;
    for (const lower of under[index] ?? []) weight[lower] = (weight[lower] ?? 0) + step;
  }

  function candidates(): number[] {
    const uncovered = [...tiles.keys()].filter((index) => isLeft[index] && weight[index] === 0);
    // Always best: it empties the tray and uncovers tiles.
    const third = uncovered.filter((index) => trayCounts.get(tiles[index]?.kind ?? 0) === 2);
    const free = third.length > 0 ? third : uncovered;
    const freeOf = new Map<number, number>();
    for (const index of free) {
      const kind = tiles[index]?.kind ?? 0;
      freeOf.set(kind, (freeOf.get(kind) ?? 0) + 1);
    }
    const promise = (index: number) => {
      const kind = tiles[index]?.kind ?? 0;
      const count = trayCounts.get(kind) ?? 0;
      const isComplete = count + (freeOf.get(kind) ?? 0) >= 3;
      const opens = (under[index] ?? []).filter((lower) => isLeft[lower] && weight[lower] === 1).length;
      return (isComplete ? 20 : 0) + 6 * count + opens;
    };
    const ranked = free.map((index) => ({ index, promise: promise(index) }));
    return ranked.sort((a, b) => b.promise - a.promise || a.index - b.index).map(({ index }) => index);
  }

  return search(remainingTiles.length, tray.length) ? order : undefined;
}
