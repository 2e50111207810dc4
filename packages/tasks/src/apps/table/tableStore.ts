import type { AppKind } from '../app.js';
import { cellName, cellsBetween, numberOf, placeOf, shownIn } from './formula.js';
import type { tableWords } from './tableWords.js';

const columns = 5;
/** Visible rows; row 1 has the column names. */
export const rows = 16;

export type Format = 'plain' | 'money' | 'percent';

export interface TableStore {
  /** Raw contents without empty cells. */
  cells: Record<string, string>;
  bold: Record<string, true>;
  filled: Record<string, true>;
  /** Formats by column letter. */
  formats: Record<string, Format>;
  /** '' shows all rows. */
  filter: { column: string; value: string };
}

export interface TableUi {
  selected: string;
  /** Opposite corner of the selection. */
  corner: string;
  text?: string | undefined;
  dragging: boolean;
}

export interface TableApp extends AppKind {
  store: TableStore;
  ui: TableUi;
  word: keyof typeof tableWords;
}

export const letters = Array.from({ length: columns }, (_, column) => cellName(column, 0)[0] ?? '');

export function setCell({ cells }: TableStore, cell: string, text: string): void {
  if (text.trim() === '') delete cells[cell];
  else cells[cell] = text.trim();
}

export function lastRow({ cells }: TableStore): number {
  for (let row = rows; row > 1; row--) if (cells[`A${row}`]) return row;
  return 1;
}

/** Excludes the first row. */
export function rowsOf({ cells, filter }: TableStore): number[] {
  const bodyRows = Array.from({ length: rows - 1 }, (_, index) => index + 2);
  if (!filter.column) return bodyRows;
  return bodyRows.filter((row) => shownIn(cells, `${filter.column}${row}`) === filter.value);
}

/** Sorts the rows from 2 on: numbers by size, texts alphabetically. */
export function sortBy(store: TableStore, column: string, down: boolean): void {
  const last = lastRow(store);
  const entries = Array.from({ length: last - 1 }, (_, index) => {
    const cells = letters.map((letter) => store.cells[`${letter}${index + 2}`] ?? '');
    return { cells, key: shownIn(store.cells, `${column}${index + 2}`) };
  });
  entries.sort((a, b) => {
    const [x, y] = [numberOf(a.key), numberOf(b.key)];
    const order = x !== undefined && y !== undefined ? x - y : a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    return down ? -order : order;
  });
  entries.forEach(({ cells }, index) =>
    cells.forEach((text, column) => setCell(store, cellName(column, index + 2), text)),
  );
}

export function deleteRow(store: TableStore, row: number): void {
  for (let current = row; current <= rows; current++) {
    for (const letter of letters) setCell(store, `${letter}${current}`, store.cells[`${letter}${current + 1}`] ?? '');
  }
}

export function insertRow(store: TableStore, row: number): void {
  for (let current = rows; current >= row; current--) {
    for (const letter of letters)
      setCell(store, `${letter}${current}`, current > row ? (store.cells[`${letter}${current - 1}`] ?? '') : '');
  }
}

/** Unmarks cells if all are marked. */
export function mark(marks: Record<string, true>, cells: readonly string[]): void {
  const isMarked = cells.every((cell) => marks[cell]);
  for (const cell of cells) {
    if (isMarked) delete marks[cell];
    else marks[cell] = true;
  }
}

export const selection = ({ selected, corner }: TableUi): string[] => cellsBetween(selected, corner);

/** Clamps to the table. */
export function neighbourOf(cell: string, across: number, down: number): string {
  const { column, row } = placeOf(cell);
  return cellName(Math.max(0, Math.min(columns - 1, column + across)), Math.max(1, Math.min(rows, row + down)));
}

export function formatted(store: TableStore, cell: string, currency: string): string {
  const displayed = shownIn(store.cells, cell);
  const value = numberOf(displayed);
  const format = store.formats[cell[0] ?? ''] ?? 'plain';
  if (value === undefined || format === 'plain') return displayed;
  return format === 'money' ? `${currency}${value.toFixed(2)}` : `${value}%`;
}
