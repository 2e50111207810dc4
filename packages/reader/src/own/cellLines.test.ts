import { expect, test } from 'vitest';
import { cellLines } from './cellLines.js';
import { cellSize, distanceUnit } from './detectorNetwork.js';

const [rows, columns] = [10, 20];

/** Marks cells as parts of a line from `top` to `bottom`, in px. */
function marked(lines: readonly { row: number; from: number; to: number; top: number; bottom: number }[]) {
  const cores = new Float32Array(rows * columns).fill(-3);
  const edges = new Float32Array(rows * columns * 2);
  for (const { row, from, to, top, bottom } of lines) {
    const middle = (row + 0.5) * cellSize;
    for (let column = from; column < to; column++) {
      cores[row * columns + column] = 2;
      edges[2 * (row * columns + column)] = (middle - top) / distanceUnit;
      edges[2 * (row * columns + column) + 1] = (bottom - middle) / distanceUnit;
    }
  }
  return { rows, columns, cores, edges };
}

test('joins cells of one line, and adds a margin to its sides', () => {
  const line = { top: 8, bottom: 20 };
  const boxes = cellLines(
    marked([
      { row: 2, from: 3, to: 9, ...line },
      { row: 3, from: 3, to: 8, ...line },
    ]),
  );
  expect(boxes).toHaveLength(1);
  expect(boxes[0]!.x).toBeCloseTo(12 - 1.44);
  expect(boxes[0]!.y).toBeCloseTo(8);
  expect(boxes[0]!.width).toBeCloseTo(24 + 2.88);
  expect(boxes[0]!.height).toBeCloseTo(12);
});

test('an empty cell parts lines, as a border does, unless another row joins them', () => {
  const line = { top: 8, bottom: 20 };
  const row = [
    { row: 2, from: 3, to: 6, ...line },
    { row: 2, from: 7, to: 9, ...line },
  ];
  expect(cellLines(marked(row))).toHaveLength(2);
  const [joined, ...others] = cellLines(marked([...row, { row: 3, from: 3, to: 9, ...line }]));
  expect(others).toEqual([]);
  expect(joined!.x).toBeCloseTo(12 - 1.44);
  expect(joined!.y).toBeCloseTo(8);
  expect(joined!.height).toBeCloseTo(12);
});

test('separates lines that touch: words in one row, and rows of one paragraph', () => {
  const boxes = cellLines(
    marked([
      { row: 2, from: 1, to: 5, top: 4, bottom: 16 },
      { row: 2, from: 7, to: 9, top: 4, bottom: 16 },
      { row: 3, from: 1, to: 5, top: 14, bottom: 26 },
      { row: 6, from: 1, to: 5, top: 20, bottom: 30 },
      { row: 6, from: 5, to: 9, top: 26, bottom: 36 },
    ]),
  );
  expect(boxes.map(({ y }) => Math.round(y))).toEqual([4, 4, 14, 20, 26]);
});

test('ignores specks', () => {
  expect(cellLines(marked([{ row: 2, from: 3, to: 4, top: 8, bottom: 11 }]))).toEqual([]);
});
