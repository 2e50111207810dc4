import { GyreError, type Point, type Size } from '@gyre/protocol';

/** In px. Taller than wide, so that a word spans several. */
export const cell = { width: 8, height: 16 } as const;

/** Subdivisions of a cell that a point can name. */
export const fine = { columns: 4, rows: 4 } as const;
export const offsets = fine.columns * fine.rows;

export const largestWindow = { columns: 24, rows: 12 } as const;

/** May overhang the screen. */
export interface Grid {
  readonly size: Size;
  /** In px. */
  readonly cell: Size;
  readonly columns: number;
  readonly rows: number;
  readonly cells: number;
}

/** May overhang the grid. */
export interface Windows {
  readonly columns: number;
  readonly rows: number;
  readonly across: number;
  readonly down: number;
}

/** Row-major indices of a cell and a subdivision. */
export interface Place {
  readonly cell: number;
  readonly offset: number;
}

const longestSide = 4096;

export function gridOf(size: Size, cellSize: Size = cell): Grid {
  const fits = [size.width, size.height].every((side) => Number.isInteger(side) && side >= 1 && side <= longestSide);
  if (!fits) {
    throw new GyreError('bad_input', `the screen size ${size.width} x ${size.height} px is out of range`, {
      field: 'size',
      fix: `use whole numbers from 1 to ${longestSide}`,
    });
  }
  const columns = Math.ceil(size.width / cellSize.width);
  const rows = Math.ceil(size.height / cellSize.height);
  return { size, cell: cellSize, columns, rows, cells: columns * rows };
}

export function windowsOf({ columns, rows }: Pick<Grid, 'columns' | 'rows'>): Windows {
  const across = Math.ceil(columns / largestWindow.columns);
  const down = Math.ceil(rows / largestWindow.rows);
  return { across, down, columns: Math.ceil(columns / across), rows: Math.ceil(rows / down) };
}

export function placeOf({ size, cell, columns, rows }: Grid, point: Point): Place {
  const x = Math.min(point.x * size.width, size.width - 0.5);
  const y = Math.min(point.y * size.height, size.height - 0.5);
  const column = Math.min(columns - 1, Math.floor(x / cell.width));
  const row = Math.min(rows - 1, Math.floor(y / cell.height));
  const right = Math.floor(((x - column * cell.width) / cell.width) * fine.columns);
  const down = Math.floor(((y - row * cell.height) / cell.height) * fine.rows);
  return { cell: row * columns + column, offset: down * fine.columns + right };
}

export function middleOf(
  { columns, cell }: Pick<Grid, 'columns' | 'cell'>,
  { cell: index, offset }: Place,
): { x: number; y: number } {
  const part = { width: cell.width / fine.columns, height: cell.height / fine.rows };
  return {
    x: (index % columns) * cell.width + ((offset % fine.columns) + 0.5) * part.width,
    y: Math.floor(index / columns) * cell.height + (Math.floor(offset / fine.columns) + 0.5) * part.height,
  };
}

export function pointOf(grid: Grid, place: Place): Point {
  const { x, y } = middleOf(grid, place);
  const { width, height } = grid.size;
  return { x: Math.min(x, width - 0.5) / width, y: Math.min(y, height - 0.5) / height };
}

const wavelengths = [24, 48, 96, 192, 384, 768, 1536, 3072];
export const placeWidth = 4 * wavelengths.length + 2;

/**
 * Returns `[cells, placeWidth]`: sines and cosines of a cell's centre in px (Vaswani et al. 2017, section 3.5, for both
 * axes), and its relative position, -1..1, for generalisation to unseen positions.
 */
export function placeFeatures({ size, cell, columns, cells }: Grid): Float32Array {
  const out = new Float32Array(cells * placeWidth);
  for (let index = 0; index < cells; index++) {
    const x = ((index % columns) + 0.5) * cell.width;
    const y = (Math.floor(index / columns) + 0.5) * cell.height;
    const values = [x, y].flatMap((px) =>
      wavelengths.flatMap((wave) => [Math.sin((2 * Math.PI * px) / wave), Math.cos((2 * Math.PI * px) / wave)]),
    );
    out.set([...values, (2 * x) / size.width - 1, (2 * y) / size.height - 1], index * placeWidth);
  }
  return out;
}
