import { shownText } from '@gyre/protocol';
import { z } from 'zod';
import { openLake } from '@gyre/studio';
import { command } from '../command.js';
import { count, inputFolder } from '../flags/flag.js';
import { table } from '../terminal/table.js';

export const lakeSql = command({
  description:
    'Runs one SELECT of DuckDB over the lake. The views are episodes, turns and screenshots; "DESCRIBE turns" lists columns. The statement cannot write, read other files or use the network. The table shortens long texts; --json does not.',
  examples: [
    'gyre lake sql "SELECT family, policy, avg(score) AS score FROM episodes GROUP BY ALL"',
    'gyre lake sql "SELECT actions, count(*) FROM turns WHERE NOT success GROUP BY 1" --json',
  ],
  arguments: [
    {
      name: 'statement',
      description: 'a SELECT',
      schema: z.string().min(1, { error: 'must not be empty' }),
      example: '"SELECT count(*) FROM episodes"',
    },
  ] as const,
  flags: {
    directory: inputFolder('directory of the lake', { default: 'runs', mayBeMissing: true }),
    rows: count('maximum number of rows', { default: 1000 }),
  },
  async run({ directory, rows: maxRows }, { terminal, signal }, statement) {
    const lake = await openLake(directory);
    try {
      const { columns, rows, more } = await lake.sql(statement, maxRows, signal);
      const cells = rows.map((row) => row.map(cellText));
      const textColumns = columns.flatMap((_, i) => (rows.every((row) => typeof row[i] !== 'number') ? [i] : []));
      for (const line of table(
        columns.map(({ name }) => name),
        cells,
        textColumns,
      )) {
        terminal.print(line);
      }
      if (more) terminal.print(`only the first ${maxRows} rows are shown; raise the limit with --rows N`);
      return { ok: true, result: { columns, rows, more } };
    } finally {
      await lake.close();
    }
  },
});

const width = 80;

function cellText(value: unknown): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = shownText(text.replaceAll(/\s+/g, ' '));
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
