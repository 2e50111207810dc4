import { cellSize, distanceUnit } from '@gyre/reader';
import type { TextRow } from './textRow.js';

/** Targets of a detector for one picture. */
export interface CellTargets {
  /** 1 in the middle of lines, else 0, `[rows * columns]`. */
  readonly cores: Float32Array;
  /** Weight of each cell: 0 where either answer is right, above 1 in short lines, which have few cells. */
  readonly weights: Float32Array;
  /** Two per cell, in `distanceUnit`; 0 outside cores. */
  readonly edges: Float32Array;
}

/** Lines with fewer cells count as if they had as many, but a cell at most `heaviest` times. */
const fewestCells = 16;
const heaviest = 6;

/** Half the height of a line's core, relative to the line's. */
const coreHeight = 0.2;

/** Draws lines, in px of the picture, into cells. */
export function cellTargets(
  lines: readonly TextRow[],
  { rows, columns }: { readonly rows: number; readonly columns: number },
): CellTargets {
  const cores = new Float32Array(rows * columns);
  const weights = new Float32Array(rows * columns).fill(1);
  const edges = new Float32Array(rows * columns * 2);
  const each = (row: TextRow, half: number, wider: number, visit: (cell: number, y: number) => void): void => {
    const middle = (row.top + row.bottom) / 2;
    for (let r = first(middle - half); r < Math.min(rows, beyond(middle + half)); r++) {
      for (let c = first(row.left - wider); c < Math.min(columns, beyond(row.right + wider)); c++)
        visit(r * columns + c, (r + 0.5) * cellSize);
    }
  };
  for (const line of lines) {
    const half = Math.max(cellSize / 2 + 0.01, coreHeight * (line.bottom - line.top));
    // A cell that a line only touches may count either way.
    each(line, half + 1.5, 1.5, (cell) => (weights[cell] = 0));
  }
  for (const line of lines) {
    const half = Math.max(cellSize / 2 + 0.01, coreHeight * (line.bottom - line.top));
    let count = 0;
    each(line, half, 0, () => count++);
    each(line, half, 0, (cell, y) => {
      cores[cell] = 1;
      weights[cell] = Math.min(Math.max(fewestCells / count, 1), heaviest);
      edges[2 * cell] = (y - line.top) / distanceUnit;
      edges[2 * cell + 1] = (line.bottom - y) / distanceUnit;
    });
  }
  return { cores, weights, edges };
}

/** Returns the first cell whose middle lies at `px` or after it. */
function first(px: number): number {
  return Math.max(0, Math.ceil(px / cellSize - 0.5));
}

function beyond(px: number): number {
  return Math.floor(px / cellSize - 0.5) + 1;
}
