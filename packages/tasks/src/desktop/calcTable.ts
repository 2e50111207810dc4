import type { Cast } from '../family/machine/cast.js';
import { cellAt, columnName, type Sheet, type Value } from './spreadsheet.js';

/** What a file of Calc holds at the beginning of a task: names with numbers, below headings. */
export interface Table {
  readonly file: string;
  readonly sheet: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** Headings that all splits share: of the names, and of the numbers. */
const ofNames = ['Article', 'Place', 'Person', 'Product'];
const ofNumbers = ['Price', 'Quantity', 'Weight', 'Revenue', 'Costs', 'Visitors', 'Distance', 'Points'];

/** Draws a table with a column of names and some of numbers. `rows`: the fewest and the most. */
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

/** Whether a sheet still has the table, place by place; what stands beside or below it does not matter. `but`: these places do not. */
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
