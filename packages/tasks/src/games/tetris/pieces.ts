import { drawFrom } from '../rules/chance.js';

/** Columns and rows of a board. */
export const across = 10;
export const down = 20;

export const pieceNames = 'IOTSZJL';

/** The square turns as a whole: as in LMGame-Bench, no wall kicks. */
const shapes: readonly (readonly string[])[] = [
  ['....', 'XXXX', '....', '....'],
  ['XX', 'XX'],
  ['.X.', 'XXX', '...'],
  ['.XX', 'XX.', '...'],
  ['XX.', '.XX', '...'],
  ['X..', 'XXX', '...'],
  ['..X', 'XXX', '...'],
];

export const squareOf = (kind: number): number => shapes[kind]?.length ?? 0;

/** [column, row] by piece and turn. */
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

/** Shuffles the seven pieces. */
export function drawBag(seed: number): { bag: number[]; seed: number } {
  const bag = [0, 1, 2, 3, 4, 5, 6];
  let next = seed;
  for (let index = 6; index > 0; index--) {
    const drawn = drawFrom(next);
    next = drawn.next;
    const swapIndex = Math.floor(drawn.value * (index + 1));
    [bag[index], bag[swapIndex]] = [bag[swapIndex]!, bag[index]!];
  }
  return { bag, seed: next };
}
