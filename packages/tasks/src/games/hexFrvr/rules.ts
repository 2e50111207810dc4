import { type Cell, type Lattice, type PiecePlacement, makeLattice } from '../filling/lattice.js';
import { type FillLevel, type FillState, fillGame } from '../filling/rules.js';
import type { Game } from '../game.js';

const steps: readonly Cell[] = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [0, -1],
  [1, -1],
];

const hexShapes: readonly (readonly Cell[])[] = [
  [[0, 0]],
  [[0, 0], [1, 0]],
  [[0, 0], [0, 1]],
  [[0, 0], [-1, 1]],
  [[0, 0], [1, 0], [2, 0]],
  [[0, 0], [0, 1], [0, 2]],
  [[0, 0], [-1, 1], [-2, 2]],
  [[0, 0], [1, 0], [0, 1]],
  [[0, 0], [0, 1], [-1, 1]],
  [[0, 0], [1, 0], [1, 1]],
  [[0, 0], [0, 1], [-1, 2]],
  [[0, 0], [-1, 1], [-1, 2]],
  [[0, 0], [1, 0], [0, 1], [1, 1]],
  [[0, 0], [0, 1], [-1, 1], [-1, 2]],
  [[0, 0], [1, 0], [-1, 1], [0, 1]],
  [[0, 0], [1, 0], [2, 0], [3, 0]],
  [[0, 0], [0, 1], [0, 2], [0, 3]],
  [[0, 0], [-1, 1], [-2, 2], [-3, 3]],
  [[0, 0], [1, 0], [1, 1], [0, 2]],
  [[0, 0], [-1, 1], [-1, 2], [0, 2]],
  [[0, 0], [1, -1], [2, -1], [2, 0]],
]; // prettier-ignore

const boards = new Map<number, Lattice>();

/** `side`: cells per edge. Lines have three directions. */
export function hexLattice(side: number): Lattice {
  const known = boards.get(side);
  if (known) return known;
  const cells: Cell[] = [];
  for (let r = 1 - side; r < side; r++) {
    for (let q = 1 - side; q < side; q++) if (Math.abs(q + r) < side) cells.push([q, r]);
  }
  const lattice = makeLattice(cells, [([q]) => q, ([, r]) => r, ([q, r]) => q + r], steps, hexShapes);
  boards.set(side, lattice);
  return lattice;
}

/** Hex-frvr: fills lines of a hexagonal board. */
export const hexFrvr: Game<FillLevel, FillState, PiecePlacement> = fillGame('hexFrvr', hexLattice, 'each');
