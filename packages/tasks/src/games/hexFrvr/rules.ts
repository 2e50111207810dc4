import { type Cell, type Lattice, type Laying, makeLattice } from '../filling/lattice.js';
import { type FillLevel, type FillState, fillGame } from '../filling/rules.js';
import type { Game } from '../game.js';

/** Steps on a hexagonal board, in axial coordinates. */
const steps: readonly Cell[] = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [0, -1],
  [1, -1],
];

/** Pieces of one to four hexagons. */
export const hexShapes: readonly (readonly Cell[])[] = [
  [[0, 0]],
  // Straight ones in the three directions.
  [[0, 0], [1, 0]],
  [[0, 0], [0, 1]],
  [[0, 0], [-1, 1]],
  [[0, 0], [1, 0], [2, 0]],
  [[0, 0], [0, 1], [0, 2]],
  [[0, 0], [-1, 1], [-2, 2]],
  // Triangles.
  [[0, 0], [1, 0], [0, 1]],
  [[0, 0], [0, 1], [-1, 1]],
  // Bends.
  [[0, 0], [1, 0], [1, 1]],
  [[0, 0], [0, 1], [-1, 2]],
  [[0, 0], [-1, 1], [-1, 2]],
  // Rhombs.
  [[0, 0], [1, 0], [0, 1], [1, 1]],
  [[0, 0], [0, 1], [-1, 1], [-1, 2]],
  [[0, 0], [1, 0], [-1, 1], [0, 1]],
  // Straight ones of four.
  [[0, 0], [1, 0], [2, 0], [3, 0]],
  [[0, 0], [0, 1], [0, 2], [0, 3]],
  [[0, 0], [-1, 1], [-2, 2], [-3, 3]],
  // Bows of four.
  [[0, 0], [1, 0], [1, 1], [0, 2]],
  [[0, 0], [-1, 1], [-1, 2], [0, 2]],
  [[0, 0], [1, -1], [2, -1], [2, 0]],
]; // prettier-ignore

const boards = new Map<number, Lattice>();

/** A hexagon of cells, `side` of them on each side, with lines in three directions. */
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

/** Hex-frvr: hexagons fill the lines of a hexagonal board. For each piece that is laid a new one comes. */
export const hexFrvr: Game<FillLevel, FillState, Laying> = fillGame('hexFrvr', hexLattice, 'each');
