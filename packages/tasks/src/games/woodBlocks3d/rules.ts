import { type Cell, type Lattice, type PiecePlacement, makeLattice } from '../filling/lattice.js';
import { type FillLevel, type FillState, fillGame } from '../filling/rules.js';
import type { Game } from '../game.js';

/** A word per row; `x` is a block. */
const drawings: readonly string[] = [
  'x', 'xx', 'x x', 'xxx', 'x x x', 'xx xx', // 0..5: small
  'x xx', 'xx x', 'xx .x', '.x xx', // 6..9: corners
  'xxxx', 'x x x x', 'xxx .x.', 'x xx x', '.x. xxx', '.x xx .x', // 10..15: straight ones of four, T
  'xx .xx', '.xx xx', 'x. x. xx', '.x .x xx', 'xx x. x.', 'xx .x .x', // 16..21: S and L
  'xxxxx', 'x x x x x', 'xxx xxx xxx', 'xxx x.. x..', 'xxx ..x ..x', 'x.. x.. xxx', '..x ..x xxx', // 22..28: large
  'xxx xxx', 'xx xx xx', // 29, 30
]; // prettier-ignore

const shapes: readonly (readonly Cell[])[] = drawings.map((drawing) => {
  const cells = drawing
    .split(' ')
    .flatMap((line, row) => [...line].flatMap((mark, column): Cell[] => (mark === 'x' ? [[column, row]] : [])));
  const [column, row] = cells[0] ?? [0, 0];
  return cells.map(([across, down]): Cell => [across - column, down - row]);
});

const boards = new Map<number, Lattice>();

export function woodLattice(side: number): Lattice {
  const known = boards.get(side);
  if (known) return known;
  const cells = Array.from({ length: side * side }, (_, place): Cell => [place % side, Math.floor(place / side)]);
  const steps: readonly Cell[] = [
    [0, -1],
    [1, 0],
    [0, 1],
    [-1, 0],
  ];
  const lattice = makeLattice(cells, [([column]) => column, ([, row]) => row], steps, shapes);
  boards.set(side, lattice);
  return lattice;
}

/** Wood-blocks-3d: fills rows and columns. */
export const woodBlocks3d: Game<FillLevel, FillState, PiecePlacement> = fillGame('woodBlocks3d', woodLattice, 'all');
