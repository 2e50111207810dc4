import { type Shape, extentOf, isSame, turnedShape } from './shape.js';

const maxSteps = 40_000;

export interface ShapeFit {
  readonly shape: number;
  readonly turns: number;
  /** Upper left corner. */
  readonly corner: number;
}

interface Turned {
  readonly turns: number;
  readonly columns: number;
  /** Offsets from the first cell, and its column. */
  readonly cells: readonly number[];
  readonly first: number;
}

/**
 * Covers cells exactly with all `free` shapes. The first empty cell is covered next, so each covering is tried once.
 * Undefined if none is found within the limit.
 */
export function fit(
  { columns, shapes }: { readonly columns: number; readonly shapes: readonly Shape[] },
  places: readonly number[],
  free: readonly number[],
): ShapeFit[] | undefined {
  const empty = new Set(places);
  const area = free.reduce((sum, index) => sum + (shapes[index]?.length ?? 0), 0);
  if (area !== empty.size) return undefined;
  const turned = new Map(free.map((index) => [index, turnsOf(shapes[index] ?? [], columns)]));
  const remaining = new Set(free);
  const fitted: ShapeFit[] = [];
  let steps = 0;
  const cover = (from: number): boolean => {
    let cursor = from;
    while (cursor < places.length && !empty.has(places[cursor]!)) cursor++;
    const place = places[cursor];
    if (place === undefined) return true;
    const tried = new Set<string>();
    for (const index of [...remaining]) {
      const name = JSON.stringify(turned.get(index)?.[0]?.cells);
      if (tried.has(name)) continue;
      tried.add(name);
      for (const { turns, columns: wide, cells, first } of turned.get(index) ?? []) {
        const column = (place % columns) - first;
        if (++steps > maxSteps) return false;
        if (column < 0 || column + wide > columns) continue;
        if (!cells.every((cell) => empty.has(place + cell))) continue;
        for (const cell of cells) empty.delete(place + cell);
        remaining.delete(index);
        fitted.push({ shape: index, turns, corner: place - first });
        if (cover(cursor + 1)) return true;
        fitted.pop();
        remaining.add(index);
        for (const cell of cells) empty.add(place + cell);
      }
    }
    return false;
  };
  return cover(0) ? fitted : undefined;
}

/** Distinct turns as cell offsets. */
function turnsOf(shape: Shape, columns: number): Turned[] {
  const rotations = [0, 1, 2, 3].map((turns) => turnedShape(shape, turns));
  return rotations.flatMap((cells, turns) => {
    if (rotations.slice(0, turns).some((earlier) => isSame(earlier, cells))) return [];
    const first = cells[0]?.[0] ?? 0;
    const distances = cells.map(([column, row]) => row * columns + column - first);
    return [{ turns, columns: extentOf(cells).columns, cells: distances, first }];
  });
}
