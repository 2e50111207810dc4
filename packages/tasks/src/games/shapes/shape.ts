/** Columns and rows from the upper left corner, in reading order. */
export type Shape = readonly (readonly [column: number, row: number])[];

export function turnedShape(shape: Shape, quarters: number): Shape {
  let cells = shape;
  for (let turn = 0; turn < quarters % 4; turn++) {
    const { rows } = extentOf(cells);
    cells = cells.map(([column, row]) => [rows - 1 - row, column] as const);
  }
  return inOrder(cells);
}

export const inOrder = (cells: Shape): Shape =>
  [...cells].sort(([columnA, rowA], [columnB, rowB]) => rowA - rowB || columnA - columnB);

export function extentOf(shape: Shape): { columns: number; rows: number } {
  const columns = 1 + Math.max(...shape.map(([column]) => column));
  const rows = 1 + Math.max(...shape.map(([, row]) => row));
  return { columns, rows };
}

export const isSame = (a: Shape, b: Shape): boolean => JSON.stringify(a) === JSON.stringify(b);
