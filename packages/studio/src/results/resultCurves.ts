import type { AttemptedTasks } from '@gyre/training';
import type { Curve, CurvePoint } from '../charts/curve.js';
import type { Panel } from '../charts/trainingPanels.js';
import type { CompareAnswer, ResultColumn } from '../server/resultsWire.js';
import { columnName } from './resultTables.js';

type PassAt = AttemptedTasks['passAt'][number];

/** Plots success against turns, and against attempts where tasks were repeated, of a family or of all tasks. */
export function resultPanels(columns: readonly ResultColumn[], family: string | undefined): Panel[] {
  const measured = columns.flatMap((column) => {
    const cell = family === undefined ? column.overall : column.cells[family];
    return cell ? [{ name: columnName(column), cell }] : [];
  });
  const last = Math.max(0, ...measured.flatMap(({ cell }) => cell.solvedWithin?.at(-1)?.turns ?? 0));
  const solved = measured.flatMap(({ name, cell }) =>
    cell.solvedWithin ? [{ name, points: stairs(cell.solvedWithin, last) }] : [],
  );
  const repeated = (title: string, unit: string, shareOf: (pass: PassAt) => PassAt['any']): Panel => ({
    ...{ id: title, title, unit, scale: 'whole' as const },
    curves: measured.flatMap(({ name, cell }): Curve[] => {
      const points = (cell.passAt ?? []).map((pass): CurvePoint => ({ x: pass.k, ...bounded(shareOf(pass)) }));
      return points.length > 1 ? [{ name, points }] : [];
    }),
  });
  return [
    { id: 'turns', title: 'Solved within', unit: 'share of tasks, by turns', scale: 'whole' as const, curves: solved },
    repeated('pass@k', 'one of k attempts solves it', ({ any }) => any),
    repeated('pass^k', 'all of k attempts solve it', ({ every }) => every),
  ].filter(({ curves }) => curves.some(({ points }) => points.length > 1));
}

/** Plots the success of two evaluations against turns, over the tasks that both attempted. */
export function comparedPanel({ solvedWithin }: Pick<CompareAnswer, 'solvedWithin'>): Panel {
  const last = solvedWithin.at(-1)?.turns ?? 0;
  const curves = (['before', 'after'] as const).map((side) => ({
    name: side,
    points: stairs(
      solvedWithin.map((row) => ({ turns: row.turns, ...row[side] })),
      last,
    ),
  }));
  return { id: 'compared', title: 'Solved within', unit: 'share of compared tasks, by turns', scale: 'whole', curves };
}

const bounded = ({ success, low, high }: { success: number; low: number; high: number }) => ({ y: success, low, high });

/** Nothing changes between two rows: a gap is a step and no slope. */
function stairs(rows: AttemptedTasks['solvedWithin'], last: number): CurvePoint[] {
  const points = rows.flatMap((row, i): CurvePoint[] => {
    const previous = rows[i - 1];
    const step = { x: row.turns, ...bounded(row) };
    return previous && row.turns - previous.turns > 1 ? [{ x: row.turns - 1, ...bounded(previous) }, step] : [step];
  });
  const end = points.at(-1);
  return end && end.x < last ? [...points, { ...end, x: last }] : points;
}
