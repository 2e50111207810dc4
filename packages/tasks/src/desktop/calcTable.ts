import type { Cast } from '../family/machine/cast.js';
import { cellAt, columnName, type Sheet, type Value } from './spreadsheet.js';

/** Named rows of numbers, below headings. */
export interface Table {
  readonly file: string;
  readonly sheet: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

const ofNames = ['Article', 'Place', 'Person', 'Product'];
const ofNumbers = ['Price', 'Quantity', 'Weight', 'Revenue', 'Costs', 'Visitors', 'Distance', 'Points'];

/** `rows`: minimum and maximum. */
export function drawTable(cast: Cast, size: { rows: readonly [number, number]; columns: number }): Table {
  const rows = Array.from({ length: cast.between(...size.rows) }, () => [
    cast.name(),
    ...cast.numbers(size.columns, 100, 9_999),
  ]);
  return {
    file: `${cast.letters()}.ods`,
    sheet: cast.name(),
    heads: [cast.pick(ofNames), ...cast.shuffle(ofNumbers).slice(0, size.columns)],
    rows,
  };
}

/** Returns whether a sheet still has the table, except at the places `but`. Other cells are ignored. */
export function matches(
  sheet: Sheet | undefined,
  { heads, rows }: Pick<Table, 'heads' | 'rows'>,
  but: readonly string[] = [],
): boolean {
  return [heads, ...rows].every((row, down) =>
    row.every((value, across) => {
      const place = `${columnName(across)}${down + 1}`;
      if (but.includes(place)) return true;
      const cell = cellAt(sheet, place);
      return typeof value === 'number' ? cell.value === value && cell.formula === undefined : cell.text === value;
    }),
  );
}
