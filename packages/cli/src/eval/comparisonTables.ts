import { type Chart, signed } from '@gyre/studio';
import type { ComparedRun, ComparedTasks, Comparison } from '@gyre/training';
import { share } from '../terminal/resultTable.js';

export interface TitledTable {
  readonly title: string;
  readonly header: string[];
  readonly rows: string[][];
}

/** @param flips most to list in each direction */
export function comparisonTables(comparison: Comparison, flips: number): TitledTable[] {
  const { overall, families, novelty, before, after } = comparison;
  const everyTask = { name: 'all tasks', ...overall };
  const tables = [
    { title: 'By family', ...resultRows('family', families.length > 1 ? [...families, everyTask] : families) },
    ...(novelty ? [{ title: 'By novelty', ...resultRows('tasks are', novelty) }] : []),
    { title: 'Attempts', ...attemptRows(before, after) },
    ...(before.passAt.length + after.passAt.length > 0 ? [{ title: 'Repetitions', ...passRows(before, after) }] : []),
    ...(comparison.solvedWithin.length > 1 ? [{ title: 'Solved within', ...solvedRows(comparison) }] : []),
    ...(flips > 0 && comparison.flips.gained.length + comparison.flips.lost.length > 0
      ? [{ title: 'Flips', ...flipRows(comparison, flips) }]
      : []),
  ];
  return tables;
}

function resultRows(title: string, rows: readonly (Omit<ComparedTasks, 'adjusted'> & { adjusted?: number })[]) {
  return {
    header: [title, 'tasks', 'before', 'after', 'difference', 'p', 'p (Holm)'],
    rows: rows.map(({ name, tasks, before, after, difference, p, adjusted }) => [
      ...[name, String(tasks), share(before), share(after), signed(difference), probability(p)],
      adjusted === undefined ? '' : probability(adjusted),
    ]),
  };
}

function attemptRows(before: ComparedRun, after: ComparedRun) {
  const row = (run: ComparedRun) => [
    ...[run.name, run.policy, run.purpose],
    ...[run.tasks, run.attempts, run.infraErrors, run.cut, run.unjudged].map(String),
    ...[String(run.mixedTasks), run.meanTurns.toFixed(1)],
  ];
  const excluded = ['infra errors', 'cut', 'unjudged'];
  return {
    header: ['run', 'policy', 'purpose', 'tasks', 'attempts', ...excluded, 'mixed tasks', 'turns'],
    rows: [row(before), row(after)],
  };
}

function passRows(before: ComparedRun, after: ComparedRun) {
  return {
    header: ['run', 'k', 'tasks', 'pass@k', 'pass^k'],
    rows: [before, after].flatMap(({ name, passAt }) =>
      passAt.map(({ k, tasks, any, every }) => [name, String(k), String(tasks), share(any), share(every)]),
    ),
  };
}

/** Turns worth a row of a table; the chart has all. */
const landmarks = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1000];

function solvedRows({ solvedWithin }: Comparison) {
  const last = solvedWithin.at(-1)!;
  const limits = landmarks.filter((turns) => turns >= solvedWithin[0]!.turns && turns < last.turns);
  const rows = limits.map((turns) => ({ ...solvedWithin.findLast((row) => row.turns <= turns)!, turns }));
  return {
    header: ['turns', 'before', 'after'],
    rows: [...rows, last].map(({ turns, before, after }) => [String(turns), share(before), share(after)]),
  };
}

function flipRows({ flips: { gained, lost } }: Comparison, limit: number) {
  const rows = (name: string, flips: typeof gained) =>
    flips.slice(0, limit).map(({ task, before, after }) => [name, task, before, after]);
  return {
    header: ['flip', 'task', 'episode before', 'episode after'],
    rows: [...rows('failed → passed', gained), ...rows('passed → failed', lost)],
  };
}

/** Says what the tables leave out. */
export function comparisonLines({ before, after, flips, unpaired, otherBudgets, overall }: Comparison): string[] {
  const named = (count: number, text: string, tasks: readonly string[]) =>
    count === 0 ? [] : [`${count} ${text}: ${some(tasks)}`];
  const ofRun = ({ name, lostTasks, repeatedSeeds }: ComparedRun) => [
    ...named(lostTasks.length, `tasks of ${name} have no judged attempt and are not compared`, lostTasks),
    ...(repeatedSeeds === 0
      ? []
      : [
          `${repeatedSeeds} attempts of ${name} repeat a task's sampling seed; a native policy then repeats its actions: use another --seed`,
        ]),
  ];
  const { gained, lost } = flips;
  return [
    `${overall.tasks} tasks are compared; flipped attempts: ${gained.length} from failed to passed, ${lost.length} from passed to failed`,
    ...named(unpaired.onlyBefore.length, `tasks are only in ${before.name}`, unpaired.onlyBefore),
    ...named(unpaired.onlyAfter.length, `tasks are only in ${after.name}`, unpaired.onlyAfter),
    ...named(
      unpaired.changed.length,
      'tasks have another instruction or screen, and are not compared',
      unpaired.changed,
    ),
    ...named(otherBudgets.length, 'compared tasks have another step budget', otherBudgets),
    ...ofRun(before),
    ...ofRun(after),
  ];
}

export function solvedChart({ solvedWithin }: Comparison): Chart[] {
  if (solvedWithin.length < 2) return [];
  // Nothing changes between two rows, so that a gap is a step and no slope.
  const rows = solvedWithin.flatMap((row, i) => {
    const previous = solvedWithin[i - 1];
    return previous && row.turns - previous.turns > 1 ? [{ ...previous, turns: row.turns - 1 }, row] : [row];
  });
  const series = (['before', 'after'] as const).map((side) => ({
    name: side,
    points: rows.map((row): [number, number] => [row.turns, row[side].success]),
    band: rows.map((row): [number, number, number] => [row.turns, row[side].low, row[side].high]),
  }));
  return [{ title: 'Success against turns', x: 'turns', y: 'success within this many turns', whole: true, series }];
}

const shownNames = 4;

function some(names: readonly string[]): string {
  const firstNames = names.slice(0, shownNames).join(', ');
  return names.length > shownNames ? `${firstNames}, and ${names.length - shownNames} more` : firstNames;
}

function probability(p: number): string {
  return p < 1e-4 ? '< 0.0001' : p.toFixed(4);
}
