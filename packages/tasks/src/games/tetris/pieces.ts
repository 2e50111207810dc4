import { drawFrom } from '../rules/chance.js';

/** Cells across and down a board. */
export const across = 10;
export const down = 20;

/** Names of the pieces, by number. */
export const pieceNames = 'IOTSZJL';

/** Each piece as it comes, in a square of its own; a turn turns the square. As in LMGame-Bench there are no kicks off walls. */
const shapes: readonly (readonly string[])[] = [
  ['....', 'XXXX', '....', '....'],
  ['XX', 'XX'],
  ['.X.', 'XXX', '...'],
  ['.XX', 'XX.', '...'],
  ['XX.', '.XX', '...'],
  ['X..', 'XXX', '...'],
  ['..X', 'XXX', '...'],
];

/** The piece's square in cells. */
export const squareOf = (kind: number): number => shapes[kind]?.length ?? 0;

/** The cells [column, row] in the square, for each piece and each of its 4 turns to the right. */
const cells: readonly (readonly (readonly (readonly [number, number])[])[])[] = shapes.map((shape) => {
  const turns = [shape];
  for (let turn = 1; turn < 4; turn++) {
    const last = turns[turn - 1] ?? [];
    turns.push(last.map((_, row) => last.map((_, column) => last[last.length - 1 - column]?.[row] ?? '.').join('')));
  }
  return turns.map((turned) =>
    turned.flatMap((line, row) => [...line].flatMap((cell, column) => (cell === 'X' ? [[column, row] as const] : []))),
  );
});

export const cellsOf = (kind: number, turn: number): readonly (readonly [number, number])[] =>
  cells[kind]?.[turn] ?? [];

/** The seven pieces in random order, and the seed of what comes next. */
export function drawBag(seed: number): { bag: number[]; seed: number } {
  const bag = [0, 1, 2, 3, 4, 5, 6];
  let next = seed;
  for (let index = 6; index > 0; index--) {
    const drawn = drawFrom(next);
    next = drawn.next;
    const other = Math.floor(drawn.value * (index + 1));
    [bag[index], bag[other]] = [bag[other]!, bag[index]!];
  }
  return { bag, seed: next };
}
