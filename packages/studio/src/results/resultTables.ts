import { percent } from '../report/percent.js';
import type { ResultCell, ResultColumn, ResultsAnswer } from '../server/resultsWire.js';
import type { TextTable } from './exportTable.js';

/** Returns what a column is called: `clicks · nano · eval start`, `random (recorded)`. */
export const columnName = ({ id, policy, kind }: Pick<ResultColumn, 'id' | 'policy' | 'kind'>): string =>
  kind === 'recorded' ? `${policy} (recorded)` : id;

/** Means of families weigh them alike, and say how many a column has. */
export interface Mean {
  readonly success: number;
  readonly families: number;
}

export function meanOver({ cells }: Pick<ResultColumn, 'cells'>, families: readonly string[]): Mean | undefined {
  const known = families.flatMap((family) => cells[family] ?? []);
  if (known.length === 0) return undefined;
  return { success: known.reduce((sum, { success }) => sum + success, 0) / known.length, families: known.length };
}

const cellText = ({ success, low, high, tasks }: ResultCell): string =>
  `${percent(success)} % (${percent(low)}–${percent(high)}), n = ${tasks}`;

/** A row a family, and a column a policy. */
export function matrix({ columns, suites }: Pick<ResultsAnswer, 'columns' | 'suites'>): TextTable {
  const families = suites.flatMap((suite) => suite.families);
  return [
    ['family', ...columns.map(columnName)],
    ...families.map((family) => [
      family,
      ...columns.map(({ cells }) => {
        const cell = cells[family];
        return cell ? cellText(cell) : '';
      }),
    ]),
  ];
}

/** A row a cell, for programs: shares of 0..1, with their 95 % intervals. */
export function longTable({ split, columns, suites }: ResultsAnswer): TextTable {
  const header = [
    'split',
    'suite',
    'family',
    'run',
    'policy',
    'purpose',
    'kind',
    'tasks',
    'attempts',
    'success',
    'low',
    'high',
  ];
  const rows = suites.flatMap(({ name, families }) =>
    families.flatMap((family) =>
      columns.flatMap(({ run = '', policy, purpose = '', kind, cells }) => {
        const cell = cells[family];
        if (!cell) return [];
        const { tasks, attempts, success, low, high } = cell;
        return [
          [split, name, family, run, policy, purpose, kind, ...[tasks, attempts ?? '', success, low, high].map(String)],
        ];
      }),
    ),
  );
  return [header, ...rows];
}
