import { attemptedTasks, type RecordedAttempt, wilson } from '@gyre/training';
import { expect, test } from 'vitest';
import type { ResultColumn } from '../server/resultsWire.js';
import { comparedPanel, resultPanels } from './resultCurves.js';

/** Attempts at a task: after how many turns each ended, and whether it was solved. */
type Outcomes = readonly (readonly [turns: number, success: boolean])[];

function attemptsAt(family: string, seed: number, outcomes: Outcomes): RecordedAttempt[] {
  const task = `${family}/test/${seed}`;
  return outcomes.map(([turns, success], policySeed) => ({
    ...{ episode: `${task} ${policySeed}`, task, family, split: 'test', seed, content: task, stepBudget: 10 },
    ...{ policy: 'nano', policySeed, purpose: 'eval', state: 'finished', success, turns },
  }));
}

function column(id: string, attempts: readonly RecordedAttempt[]): ResultColumn {
  const families = new Set(attempts.map(({ family }) => family));
  return {
    ...{ id, policy: 'nano', kind: 'policy', overall: attemptedTasks(attempts), infraErrors: 0, cut: 0, unjudged: 0 },
    cells: Object.fromEntries(
      [...families].map((family) => [family, attemptedTasks(attempts.filter((each) => each.family === family))]),
    ),
  };
}

const share = (x: number, successes: number, n: number) => {
  const { success, low, high } = wilson(successes, n);
  return { x, y: success, low, high };
};

const quick = column('quick', [
  ...attemptsAt('a', 0, [[1, true]]),
  ...attemptsAt('a', 1, [[4, true]]),
  ...attemptsAt('b', 0, [[2, false]]),
  ...attemptsAt('b', 1, [[9, false]]),
]);
const slow = column('slow', attemptsAt('a', 0, [[6, true]]));

test('success by turns is a stair that goes on to the last turn of all policies', () => {
  const [turns, ...others] = resultPanels([quick, slow], undefined);
  expect(others).toEqual([]);
  expect(turns).toMatchObject({ id: 'turns', scale: 'whole' });
  expect(turns!.curves).toEqual([
    // One of four is solved with turn 1, and nothing more until turn 4.
    { name: 'quick', points: [share(1, 1, 4), share(3, 1, 4), share(4, 2, 4), share(6, 2, 4)] },
    { name: 'slow', points: [share(6, 1, 1)] },
  ]);
});

test('a family has curves of its own, and a policy that has not played it has none', () => {
  const [turns] = resultPanels([quick, slow, column('other', attemptsAt('b', 0, [[1, true]]))], 'a');
  expect(turns!.curves.map(({ name, points }) => [name, points.map(({ x, y }) => [x, y])])).toEqual([
    ['quick', [[1, 0.5], [3, 0.5], [4, 1], [6, 1]]], // prettier-ignore
    ['slow', [[6, 1]]],
  ]);
  expect(resultPanels([quick], 'b')).toEqual([]);
});

test('success by attempts is of the tasks that were repeated', () => {
  const repeated = column('repeated', [
    ...attemptsAt('a', 0, [[1, true], [1, true], [1, true], [1, true]]), // prettier-ignore
    ...attemptsAt('a', 1, [[1, true], [1, true], [1, false], [1, false]]), // prettier-ignore
    ...attemptsAt('a', 2, [[1, false], [1, false], [1, false], [1, false]]), // prettier-ignore
  ]);
  const panels = resultPanels([repeated, quick], undefined);
  expect(panels.map(({ id }) => id)).toEqual(['turns', 'pass@k', 'pass^k']);
  const [, any, every] = panels;
  const values = ({ curves }: (typeof panels)[number]) =>
    curves.map(({ name, points }) => [name, points.map(({ x, y }) => [x, Number(y.toFixed(6))])]);
  // Two of four attempts: at least one of two drawn is solved in 5 of 6 pairs, both in 1 of 6.
  expect(values(any!)).toEqual([['repeated', [[1, 0.5], [2, 0.611111], [4, 0.666667]]]]); // prettier-ignore
  expect(values(every!)).toEqual([['repeated', [[1, 0.5], [2, 0.388889], [4, 0.333333]]]]); // prettier-ignore
  for (const { points } of [...any!.curves, ...every!.curves])
    for (const { y, low, high } of points) expect(low! < y && y < high!).toBe(true);
});

test('a comparison has a stair for each side, over the same turns', () => {
  const { curves } = comparedPanel({
    solvedWithin: [
      { turns: 2, before: wilson(0, 2), after: wilson(1, 2) },
      { turns: 5, before: wilson(1, 2), after: wilson(1, 2) },
    ],
  });
  expect(curves).toEqual([
    { name: 'before', points: [share(2, 0, 2), share(4, 0, 2), share(5, 1, 2)] },
    { name: 'after', points: [share(2, 1, 2), share(4, 1, 2), share(5, 1, 2)] },
  ]);
});
