import type { Lattice, Laying } from './lattice.js';
import { bestLaying } from './solver.js';
import { drawFrom } from '../rules/chance.js';
import type { Game } from '../game.js';

/**
 * Games of filling lines: three pieces wait in a tray and are laid on free cells of the board, unturned. Lines that are full vanish,
 * all at once. Won when the lines that the level asks for are made; lost where no piece of the tray fits.
 */
export interface FillLevel {
  readonly difficulty: number;
  /** Cells on a side of the board. */
  readonly side: number;
  /** The board at first: 0 is free, else 1 + the kind of the block there. */
  readonly cells: readonly number[];
  /** Lines to make. */
  readonly goal: number;
  /** Shapes that come, each as likely as the others. */
  readonly shapes: readonly number[];
  /** Of the pieces that come. */
  readonly seed: number;
}

export interface FillState {
  readonly cells: readonly number[];
  /** Shapes in the tray; -1 where one was taken. */
  readonly tray: readonly number[];
  readonly lines: number;
  /** A point for each cell laid, and 10, 40, 90, … for one, two, three, … lines at once. */
  readonly score: number;
  readonly seed: number;
}

/** The lines that are full. */
export const fullLines = (lattice: Lattice, cells: readonly number[]): (readonly number[])[] =>
  lattice.lines.filter((line) => line.every((place) => cells[place] !== 0));

/** The places that a piece takes where it may be laid, else undefined. */
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

/** A game of filling lines. `refill` says when new pieces come: for `each` that is laid, or when `all` three are. */
export function fillGame(
  name: string,
  latticeOf: (side: number) => Lattice,
  refill: 'each' | 'all',
): Game<FillLevel, FillState, Laying> {
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
      const left = state.tray.map((other, index) => (index === slot ? -1 : other));
      const isDue = refill === 'each' || left.every((other) => other < 0);
      return {
        cells,
        ...(isDue ? fillTray(left, shapes, state.seed) : { tray: left, seed: state.seed }),
        lines: state.lines + full.length,
        score: state.score + taken.length + 10 * full.length ** 2,
      };
    },
    standing({ cells, tray, lines, score }, { side, goal }) {
      const lattice = latticeOf(side);
      const won = lines >= goal;
      const lost = !won && !tray.some((shape) => shape >= 0 && fitsSomewhere(lattice, cells, shape));
      return { score, progress: Math.min(1, lines / goal), won, over: won || lost, lives: lost ? 0 : 1 };
    },
    hint: ({ cells, tray, lines }, { side, goal }) => bestLaying(latticeOf(side), cells, tray, goal - lines),
  };
}
