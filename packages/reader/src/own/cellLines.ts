import type { PixelBox } from '@gyre/protocol';
import { cellSize, distanceUnit } from './detectorNetwork.js';

/** A detector's outputs for one picture. */
export interface CellMap {
  readonly rows: number;
  readonly columns: number;
  /** Logits. */
  readonly cores: Float32Array;
  /** Two per cell, in `distanceUnit`. */
  readonly edges: Float32Array;
}

/** Cells of one row next to each other, in one line. */
interface Run {
  readonly row: number;
  readonly from: number;
  to: number;
  cells: number;
  /** Sums over its cells, in px. */
  top: number;
  bottom: number;
}

/** Largest difference of two cells' lines that are one line, relative to its height. */
const largestDrift = 0.4;
/** Background to the left and right of a line, relative to its height. */
const margin = 0.12;

/** Returns the boxes of the lines that cells belong to, in px of the picture. */
export function cellLines(map: CellMap): PixelBox[] {
  const runs = runsOf(map);
  const groupOf = runs.map((_, index) => index);
  const rootOf = (index: number): number => {
    let root = index;
    while (groupOf[root] !== root) root = groupOf[root]!;
    return root;
  };
  let above = 0;
  for (const [index, run] of runs.entries()) {
    while (runs[above]!.row < run.row - 1) above++;
    for (let upper = above; runs[upper]!.row === run.row - 1; upper++) {
      const [a, b] = [runs[upper]!, run];
      if (a.from <= b.to && b.from <= a.to && agree(meanOf(a), meanOf(b))) groupOf[rootOf(index)] = rootOf(upper);
    }
  }
  const groups = new Map<number, Run[]>();
  for (const [index, run] of runs.entries()) {
    const root = rootOf(index);
    groups.set(root, [...(groups.get(root) ?? []), run]);
  }
  return [...groups.values()].map((group) => boxOf(group)).filter(({ width, height }) => width >= 4 && height >= 5);
}

interface Edges {
  readonly top: number;
  readonly bottom: number;
}

function runsOf({ rows, columns, cores, edges }: CellMap): Run[] {
  const runs: Run[] = [];
  for (let row = 0; row < rows; row++) {
    let run: Run | undefined;
    for (let column = 0; column < columns; column++) {
      const cell = row * columns + column;
      if (cores[cell]! <= 0) continue;
      if (run && column > run.to) run = undefined;
      const middle = (row + 0.5) * cellSize;
      const top = middle - edges[2 * cell]! * distanceUnit;
      const bottom = middle + edges[2 * cell + 1]! * distanceUnit;
      if (run && agree(meanOf(run), { top, bottom })) {
        run.to = column + 1;
        run.cells++;
        run.top += top;
        run.bottom += bottom;
      } else {
        run = { row, from: column, to: column + 1, cells: 1, top, bottom };
        runs.push(run);
      }
    }
  }
  return runs;
}

function meanOf({ cells, top, bottom }: Run): Edges {
  return { top: top / cells, bottom: bottom / cells };
}

function agree(a: Edges, b: Edges): boolean {
  const height = Math.min(a.bottom - a.top, b.bottom - b.top);
  return Math.abs(a.top + a.bottom - b.top - b.bottom) / 2 < largestDrift * Math.max(4, height);
}

function boxOf(group: readonly Run[]): PixelBox {
  const sum = (value: (run: Run) => number): number => group.reduce((total, run) => total + value(run), 0);
  const cells = sum((run) => run.cells);
  const top = sum((run) => run.top) / cells;
  const height = sum((run) => run.bottom) / cells - top;
  const x = Math.min(...group.map(({ from }) => from)) * cellSize - margin * height;
  const right = Math.max(...group.map(({ to }) => to)) * cellSize + margin * height;
  return { x, y: top, width: right - x, height };
}
