import { drawFrom } from '../rules/chance.js';
import type { Game } from '../game.js';
import { lookAhead } from '../solving/lookAhead.js';

/**
 * Merge-and-double: pressing one of several connected equal tiles merges them there into double the value. Tiles above
 * fall, and new ones come in. Lost when no equal tiles touch.
 */
export interface MergeLevel {
  readonly difficulty: number;
  readonly columns: number;
  readonly rows: number;
  readonly target: number;
  /** New tiles are drawn uniformly from these. */
  readonly values: readonly number[];
  readonly seed: number;
}

export interface MergeState {
  readonly cells: readonly number[];
  /** Sum of merged tiles. */
  readonly score: number;
  readonly first: number;
  readonly seed: number;
}

/** New tiles start above the board, at negative places. */
export interface Fall {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

/** Returns the connected equal cells, itself included. */
export function groupAt(cells: readonly number[], columns: number, start: number): number[] {
  const value = cells[start] ?? 0;
  if (value === 0) return [];
  const group = [start];
  const seen = new Set(group);
  for (const place of group) {
    for (const next of neighbours(place, columns, cells.length)) {
      if (cells[next] !== value || seen.has(next)) continue;
      seen.add(next);
      group.push(next);
    }
  }
  return group;
}

function neighbours(place: number, columns: number, count: number): number[] {
  const column = place % columns;
  const near: number[] = [];
  if (place >= columns) near.push(place - columns);
  if (column < columns - 1) near.push(place + 1);
  if (place + columns < count) near.push(place + columns);
  if (column > 0) near.push(place - 1);
  return near;
}

/** Returns the fallen board, with 0 for new tiles; undefined if nothing merges. */
export function merge(
  cells: readonly number[],
  columns: number,
  pressed: number,
): { cells: number[]; value: number; group: number[]; falls: Fall[] } | undefined {
  const group = groupAt(cells, columns, pressed);
  if (group.length < 2) return undefined;
  const value = 2 * (cells[pressed] ?? 0);
  const merged = [...cells];
  for (const place of group) merged[place] = 0;
  merged[pressed] = value;
  const after = new Array<number>(cells.length).fill(0);
  const falls: Fall[] = [];
  for (let column = 0; column < columns; column++) {
    let to = cells.length - columns + column;
    for (let from = to; from >= 0; from -= columns) {
      const moving = merged[from] ?? 0;
      if (moving === 0) continue;
      after[to] = moving;
      falls.push({ from, to, value: moving });
      to -= columns;
    }
  }
  return { cells: after, value, group, falls };
}

function fill(cells: readonly number[], values: readonly number[], seed: number): { cells: number[]; seed: number } {
  let next = seed;
  const filled = cells.map((value) => {
    if (value !== 0) return value;
    const drawn = drawFrom(next);
    next = drawn.next;
    return values[Math.floor(drawn.value * values.length)] ?? 2;
  });
  return { cells: filled, seed: next };
}

function hasEqual(cells: readonly number[], columns: number, place: number): boolean {
  const value = cells[place];
  const column = place % columns;
  return (
    value !== 0 &&
    ((column < columns - 1 && cells[place + 1] === value) ||
      (column > 0 && cells[place - 1] === value) ||
      cells[place + columns] === value ||
      cells[place - columns] === value)
  );
}

const anyGroup = (cells: readonly number[], columns: number) =>
  cells.some((_, place) => hasEqual(cells, columns, place));

export const mergeAndDouble: Game<MergeLevel, MergeState, number> = {
  name: 'mergeAndDouble',
  version: 1,
  start({ columns, rows, values, seed }) {
    const filled = fill(new Array<number>(columns * rows).fill(0), values, seed);
    return { cells: filled.cells, score: 0, first: Math.max(...filled.cells), seed: filled.seed };
  },
  move(state, pressed, { columns, values }) {
    const merged = merge(state.cells, columns, pressed);
    if (!merged) return state;
    return { ...state, ...fill(merged.cells, values, state.seed), score: state.score + merged.value };
  },
  status({ cells, score, first }, { columns, target }) {
    const best = Math.max(...cells);
    const won = best >= target;
    const lost = !won && !anyGroup(cells, columns);
    const progress = won ? 1 : Math.max(0, (best - first) / (target - first));
    return { score, progress, won, over: won || lost, lives: lost ? 0 : 1 };
  },
  hint(state, { columns, target }) {
    const problem = {
      *moves(cells: readonly number[]) {
        for (let place = 0; place < cells.length; place++) if (hasEqual(cells, columns, place)) yield place;
      },
      after: (cells: readonly number[], at: number) => merge(cells, columns, at)?.cells ?? cells,
      worth: (cells: readonly number[]) => worthOf(cells, columns, target),
    };
    return lookAhead(problem, state.cells, { width: 6, depth: 4 });
  },
};

/** Values tiles above their parts, and potential merges. */
function worthOf(cells: readonly number[], columns: number, target: number): number {
  let worth = 0;
  for (let place = 0; place < cells.length; place++) {
    const value = cells[place] ?? 0;
    if (value >= target) return Infinity;
    if (value === 0) continue;
    worth += value * Math.log2(value);
    if (place % columns < columns - 1) worth += affinity(value, cells[place + 1] ?? 0);
    worth += affinity(value, cells[place + columns] ?? 0);
  }
  return worth;
}

function affinity(value: number, neighbourValue: number): number {
  if (neighbourValue === 0) return 0;
  if (value === neighbourValue) return 0.7 * value;
  return Math.max(value, neighbourValue) === 2 * Math.min(value, neighbourValue)
    ? 0.3 * Math.min(value, neighbourValue)
    : 0;
}
