import type { Chart } from '@gyre/studio';
import type { ScalingResult } from '@gyre/training';
import { share } from '../terminal/resultTable.js';

/** Unweighted means over families. */
interface Means {
  readonly budget: number | undefined;
  readonly n: number;
  readonly tasks: number;
  readonly chosen: number | undefined;
  readonly any: number;
  readonly mean: number;
  readonly turns: number;
  readonly infraErrors: number;
}

/** Returns header and rows: one row per budget, number of attempts and family. */
export function scalingTable(results: readonly ScalingResult[]): [header: string[], rows: string[][]] {
  const several = results.some(({ n }) => n > 1);
  const header = [
    ...['family', 'split', 'policy', 'budget', 'attempts', 'tasks'],
    ...(several ? [`chosen by ${results[0]?.judge ?? ''}`, 'any', 'mean'] : ['success']),
    ...['turns', 'infra errors'],
  ];
  const rows = grouped(results).flatMap((group) => {
    const [{ split, policy }] = group as [ScalingResult];
    const line = (family: string, row: Means, chosen: string, any: string) => [
      ...[family, split, policy, row.budget === undefined ? 'own' : String(row.budget), String(row.n)],
      ...[String(row.tasks), chosen, ...(several ? [any, percent(row.mean)] : [])],
      ...[row.turns.toFixed(1), String(row.infraErrors)],
    ];
    const lines = group.map((result) =>
      line(
        result.family,
        { ...result, budget: result.budget, chosen: result.chosen?.success, any: result.any.success },
        result.chosen ? share(result.chosen) : '',
        share(result.any),
      ),
    );
    if (group.length === 1) return lines;
    const means = meansOf(group);
    const chosen = means.chosen === undefined ? '' : percent(means.chosen);
    return [...lines, line(`mean of ${group.length}`, means, chosen, percent(means.any))];
  });
  return [header, rows];
}

export function scalingCharts(results: readonly ScalingResult[]): Chart[] {
  const means = grouped(results).map(meansOf);
  const budgets = [...new Set(means.map(({ budget }) => budget))];
  const numbers = [...new Set(means.map(({ n }) => n))];
  const judge = results[0]?.judge ?? '';
  const band = (rows: readonly Means[], x: (row: Means) => number) => {
    // A mean of families has no Wilson interval.
    const matches = rows.map((row) => results.filter(({ budget, n }) => budget === row.budget && n === row.n));
    if (matches.some((found) => found.length !== 1)) return {};
    const drawn = rows.flatMap((row, i): [number, number, number][] => {
      const chosen = matches[i]?.[0]?.chosen;
      return chosen ? [[x(row), chosen.low, chosen.high]] : [];
    });
    return { band: drawn };
  };
  const charts: Chart[] = [];
  if (budgets.length > 1) {
    charts.push({
      ...{ title: 'Success against the step budget', x: 'maximum turns per episode', y: 'success' },
      series: numbers.map((n) => {
        const rows = means.filter((row) => row.n === n);
        const x = ({ budget = 0 }: Means) => budget;
        return { name: n === 1 ? 'one attempt' : `best of ${n}`, points: points(rows, x, 'chosen'), ...band(rows, x) };
      }),
    });
  }
  if (numbers.length > 1) {
    const rows = means.filter(({ budget }) => budget === budgets.at(-1));
    const x = ({ n }: Means) => n;
    charts.push({
      ...{ title: 'Success against attempts', x: 'attempts per task', y: 'success' },
      series: [
        { name: `by ${judge}`, points: points(rows, x, 'chosen'), ...band(rows, x) },
        { name: 'any of them', points: points(rows, x, 'any') },
        { name: 'mean', points: points(rows, x, 'mean') },
      ],
    });
  }
  return charts;
}

function points(rows: readonly Means[], x: (row: Means) => number, y: 'chosen' | 'any' | 'mean'): [number, number][] {
  return rows.flatMap((row): [number, number][] => {
    const value = row[y];
    return value === undefined ? [] : [[x(row), value]];
  });
}

function grouped(results: readonly ScalingResult[]): ScalingResult[][] {
  const groups = new Map<string, ScalingResult[]>();
  for (const result of results) {
    const key = `${result.budget}/${result.n}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()];
}

function meansOf(group: readonly ScalingResult[]): Means {
  const [{ budget, n }] = group as [ScalingResult];
  const sum = (of: (result: ScalingResult) => number) => group.reduce((total, result) => total + of(result), 0);
  return {
    ...{ budget, n, tasks: sum(({ tasks }) => tasks), infraErrors: sum(({ infraErrors }) => infraErrors) },
    chosen: group.every(({ chosen }) => chosen) ? sum(({ chosen }) => chosen?.success ?? 0) / group.length : undefined,
    any: sum(({ any }) => any.success) / group.length,
    mean: sum(({ mean }) => mean) / group.length,
    turns: sum(({ turns }) => turns) / group.length,
  };
}

const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
