import type { Lattice, PiecePlacement } from './lattice.js';
import { bestPlacement } from './solver.js';
import { drawFrom } from '../rules/chance.js';
import type { Game } from '../game.js';

/**
 * Line-filling games: three pieces in a tray are laid, unturned, on free cells; full lines vanish at once. Lost when no
 * piece fits.
 */
export interface FillLevel {
  readonly difficulty: number;
  readonly side: number;
  /** 0 is free, otherwise 1 + the block's kind. */
  readonly cells: readonly number[];
  readonly goal: number;
  readonly shapes: readonly number[];
  readonly seed: number;
}

export interface FillState {
  readonly cells: readonly number[];
  /** -1 marks a used slot. */
  readonly tray: readonly number[];
  readonly lines: number;
  /** A point per cell, plus 10 times the square of simultaneous lines. */
  readonly score: number;
  readonly seed: number;
}

export const fullLines = (lattice: Lattice, cells: readonly number[]): (readonly number[])[] =>
  lattice.lines.filter((line) => line.every((place) => cells[place] !== 0));

/** Returns the covered cells; undefined if the piece does not fit. */
export function spaceFor(lattice: Lattice, cells: readonly number[], shape: number, place: number) {
  const taken = lattice.fits[shape]?.[place];
  return taken?.every((at) => cells[at] === 0) ? taken : undefined;
}

const fitsSomewhere = (lattice: Lattice, cells: readonly number[], shape: number) =>
  lattice.cells.some((_, place) => spaceFor(lattice, cells, shape, place));

function fillTray(tray: readonly number[], shapes: readonly number[], seed: number): { tray: number[]; seed: number } {
  let next = seed;
  const filled = tray.map((shape) => {
    if (shape >= 0) return shape;
    const drawn = drawFrom(next);
    next = drawn.next;
    return shapes[Math.floor(drawn.value * shapes.length)] ?? 0;
  });
  return { tray: filled, seed: next };
}

/** `refill`: after `each` piece, or when `all` three are laid. */
export function fillGame(
  name: string,
  latticeOf: (side: number) => Lattice,
  refill: 'each' | 'all',
): Game<FillLevel, FillState, PiecePlacement> {
  return {
    name,
    version: 1,
    start: ({ cells, shapes, seed }) => ({ cells, ...fillTray([-1, -1, -1], shapes, seed), lines: 0, score: 0 }),
    move(state, { slot, place }, { side, shapes }) {
      const lattice = latticeOf(side);
      const shape = state.tray[slot] ?? -1;
      const taken = spaceFor(lattice, state.cells, shape, place);
      if (!taken) return state;
      const cells = [...state.cells];
      for (const at of taken) cells[at] = 1 + shape;
      const full = fullLines(lattice, cells);
      for (const line of full) for (const at of line) cells[at] = 0;
      const remainingTray = state.tray.map((other, index) => (index === slot ? -1 : other));
      const isDue = refill === 'each' || remainingTray.every((other) => other < 0);
      return {
        cells,
        ...(isDue ? fillTray(remainingTray, shapes, state.seed) : { tray: remainingTray, seed: state.seed }),
        lines: state.lines + full.length,
        score: state.score + taken.length + 10 * full.length ** 2,
      };
    },
    status({ cells, tray, lines, score }, { side, goal }) {
      const lattice = latticeOf(side);
      const won = lines >= goal;
      const lost = !won && !tray.some((shape) => shape >= 0 && fitsSomewhere(lattice, cells, shape));
      return { score, progress: Math.min(1, lines / goal), won, over: won || lost, lives: lost ? 0 : 1 };
    },
    hint: ({ cells, tray, lines }, { side, goal }) => bestPlacement(latticeOf(side), cells, tray, goal - lines),
  };
}
