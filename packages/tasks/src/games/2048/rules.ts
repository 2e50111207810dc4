import { drawFrom } from '../rules/chance.js';
import type { Game } from '../game.js';

/** 2048 (Gabriele Cirulli, 2014). */
export interface Level2048 {
  readonly difficulty: number;
  readonly target: number;
  readonly seed: number;
}

export interface State2048 {
  /** In reading order; 0 is empty. */
  readonly cells: readonly number[];
  readonly score: number;
  readonly seed: number;
}

export const ways = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'] as const;
export type Way = (typeof ways)[number];

export interface Slide {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

/** Cells of each line, starting where tiles slide to. */
const lines: Readonly<Record<Way, readonly (readonly number[])[]>> = {
  ArrowUp: [0, 1, 2, 3].map((column) => [0, 4, 8, 12].map((row) => row + column)),
  ArrowRight: [0, 4, 8, 12].map((row) => [3, 2, 1, 0].map((column) => row + column)),
  ArrowDown: [0, 1, 2, 3].map((column) => [12, 8, 4, 0].map((row) => row + column)),
  ArrowLeft: [0, 4, 8, 12].map((row) => [0, 1, 2, 3].map((column) => row + column)),
};

/** Slides tiles; each merges at most once. */
export function slide(cells: readonly number[], direction: Way): { cells: number[]; gained: number; slides: Slide[] } {
  const after = new Array<number>(16).fill(0);
  const slides: Slide[] = [];
  let gained = 0;
  for (const line of lines[direction]) {
    let to = 0;
    let merges = false;
    for (const from of line) {
      const value = cells[from] ?? 0;
      if (value === 0) continue;
      const last = line[to - 1] ?? -1;
      if (merges && after[last] === value) {
        after[last] = 2 * value;
        gained += 2 * value;
        merges = false;
        slides.push({ from, to: last, value });
      } else {
        const place = line[to++] ?? -1;
        after[place] = value;
        merges = true;
        slides.push({ from, to: place, value });
      }
    }
  }
  return { cells: after, gained, slides };
}

function spawn(cells: readonly number[], seed: number): { cells: number[]; seed: number } {
  const free = cells.flatMap((value, place) => (value === 0 ? [place] : []));
  const where = drawFrom(seed);
  const valueDraw = drawFrom(where.next);
  const after = [...cells];
  const place = free[Math.floor(where.value * free.length)];
  if (place !== undefined) after[place] = valueDraw.value < 0.9 ? 2 : 4;
  return { cells: after, seed: valueDraw.next };
}

const differs = (a: readonly number[], b: readonly number[]) => a.some((value, place) => value !== b[place]);
const canMove = (cells: readonly number[]) => ways.some((way) => differs(cells, slide(cells, way).cells));

export const game2048: Game<Level2048, State2048, Way> = {
  name: '2048',
  version: 1,
  start({ seed }) {
    const first = spawn(new Array<number>(16).fill(0), seed);
    return { ...spawn(first.cells, first.seed), score: 0 };
  },
  move(state, direction) {
    const { cells, gained } = slide(state.cells, direction);
    if (!differs(cells, state.cells)) return state;
    return { ...spawn(cells, state.seed), score: state.score + gained };
  },
  status({ cells, score }, { target }) {
    const won = cells.some((value) => value >= target);
    const lost = !won && !canMove(cells);
    // A tile is half done once its half exists.
    const best = Math.max(...cells.filter((value) => value < target), 1);
    return { score, progress: won ? 1 : best / target, won, over: won || lost, lives: lost ? 0 : 1 };
  },
  hint({ cells }) {
    let best: { direction: Way; worth: number } | undefined;
    for (const direction of ways) {
      const after = slide(cells, direction).cells;
      if (!differs(after, cells)) continue;
      const worth = expected(after, 1);
      if (!best || worth > best.worth) best = { direction, worth };
    }
    return best?.direction;
  },
};

/** Expected worth before a tile spawns, `depth` moves ahead; spawned tiles are assumed to be 2s. */
function expected(cells: readonly number[], depth: number): number {
  const free = cells.flatMap((value, place) => (value === 0 ? [place] : []));
  if (depth === 0 || free.length === 0) return worthOf(cells);
  let sum = 0;
  for (const place of free) {
    const filled = [...cells];
    filled[place] = 2;
    let best = -1e6;
    for (const direction of ways) {
      const after = slide(filled, direction).cells;
      if (differs(after, filled)) best = Math.max(best, expected(after, depth - 1));
    }
    sum += best;
  }
  return sum / free.length;
}

/** A snake from a corner keeps large tiles together. */
const snake = [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11, 15, 14, 13, 12];

function worthOf(cells: readonly number[]): number {
  let worth = 0;
  for (const [rank, place] of snake.entries()) {
    const value = cells[place] ?? 0;
    worth += value === 0 ? 12 : value * Math.log2(value) * 0.72 ** rank;
  }
  return worth;
}
