import { writeCurves } from '@gyre/studio';
import { type TrainedTasks, compareRuns, trainedTasks } from '@gyre/training';
import { z } from 'zod';
import { command } from '../command.js';
import { comparisonLines, comparisonTables, solvedChart } from '../eval/comparisonTables.js';
import { parseRun, readLake, readRun } from '../eval/runChoice.js';
import { count, optionalWords, outputFile } from '../flags/flag.js';
import { Tables } from '../terminal/tables.js';

const run = (name: string, description: string) => ({
  name,
  description,
  schema: z.string().min(1, { error: 'must not be empty' }),
  example: 'runs/a',
});

export const compare = command({
  description:
    'Compares two recorded evaluations on the tasks that both attempted: success with 95 % intervals (Wilson), paired differences (Newcombe) with exact p (McNemar; sign flips by task if there are repetitions) and by Holm over the rows of a table, flips with their episodes, pass@k and pass^k, and success within a number of turns. Tasks are paired by id. Attempts without a verdict and tasks of only one run are not compared; they are counted and named. A run is DIRECTORY[,DIRECTORY...][:KEY=VALUE...] with the keys policy, purpose, split and budget; several directories are repetitions.',
  examples: [
    'gyre compare runs/random runs/oracle',
    'gyre compare runs/a,runs/a-2 runs/b,runs/b-2 --output comparison.html',
    'gyre compare "runs/fly:purpose=eval start" "runs/fly:purpose=eval trained" --trained runs/fly',
  ],
  arguments: [run('before', 'the run to compare with'), run('after', 'the run to judge')] as const,
  flags: {
    family: optionalWords('only these families, by name or prefix, such as mail.*', { example: 'click,mail.*' }),
    trained: optionalWords(
      'directories of the training runs: report new instances, new templates and new families apart',
      { example: 'runs/fly' },
    ),
    flips: count('maximum number of flips to list in each direction', { default: 10, min: 0 }),
    output: outputFile('write tables and curves to this HTML file', { default: undefined }),
    markdown: outputFile('append the tables to this Markdown file', { default: undefined }),
  },
  async run({ family, trained, flips, output, markdown }, { terminal }, beforeText, afterText) {
    const choices = [parseRun('before', beforeText), parseRun('after', afterText)] as const;
    const [before, after] = [await readRun(choices[0], family), await readRun(choices[1], family)];
    const comparison = compareRuns(before, after, trained && (await readTrained(trained)));
    const printed = new Tables(terminal);
    const tables = comparisonTables(comparison, flips);
    for (const { header, rows } of tables) printed.add(header, rows);
    const lines = comparisonLines(comparison);
    for (const line of lines) printed.say(line);
    const commandLine = `gyre compare ${beforeText} ${afterText}`;
    await printed.append(markdown, commandLine);
    if (output !== undefined) {
      const [first, ...sections] = tables.map(({ title, header, rows }) => ({ title, table: [header, ...rows] }));
      await writeCurves(output, {
        title: 'Two evaluations compared',
        paragraphs: [commandLine, ...lines],
        table: first!.table,
        sections,
        curves: solvedChart(comparison),
      });
    }
    return { ok: true, result: { ...comparison } };
  },
});

async function readTrained(directories: readonly string[]): Promise<TrainedTasks> {
  const tasks = new Map<string, ReadonlySet<string>>();
  for (const directory of directories) {
    for (const [family, ids] of await readLake(directory, trainedTasks))
      tasks.set(family, new Set([...(tasks.get(family) ?? []), ...ids]));
  }
  return tasks;
}
