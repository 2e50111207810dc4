import { expect, test } from 'vitest';
import { type EvalResult, endingLines, evalTable, givenUpLines, leftOutLines } from './evalTable.js';

const result = (family: string, over: Partial<EvalResult> = {}): EvalResult => ({
  ...{
    family,
    split: 'test',
    policy: 'nano',
    n: 4,
    success: 0.5,
    low: 0.2,
    high: 0.8,
    score: 0.5,
    givenUp: 0,
    infraErrors: 1,
    falseCompletes: { count: 1, n: 4, share: 0.25, low: 0.05, high: 0.7 },
  },
  ...over,
});

test('one family has a line, several have one of their means as well', () => {
  expect(evalTable([result('maze')])).toEqual([
    ['family', 'split', 'policy', 'episodes', 'success', 'score', 'given up', 'infra errors'],
    [['maze', 'test', 'nano', '4', '50 % (20–80)', '0.500', '0', '1']],
  ]);
  const [, rows] = evalTable([result('maze'), result('menu', { success: 1, score: 0.75 })]);
  expect(rows.at(-1)).toEqual(['mean of 2', 'test', 'nano', '8', '75.0 %', '0.625', '0', '2']);
});

test('games show their own score, and what has baselines how it compares', () => {
  const [header, rows] = evalTable([
    result('2048', { gameScore: 1234.5, normalised: 0.5 }),
    result('snake', { gameScore: 7, normalised: 0.25 }),
    result('menu'),
  ]);
  expect(header.slice(-4)).toEqual(['game score', 'normalised', 'given up', 'infra errors']);
  expect(rows.map((row) => row.slice(-4))).toEqual([
    ['1235', '0.500', '0', '1'],
    ['7.0', '0.250', '0', '1'],
    ['', '', '0', '1'],
    ['', '0.375', '0', '3'],
  ]);
});

test('false completes and side effects are summed up over all episodes that could have them', () => {
  const sideEffects = { count: 2, n: 4, share: 0.5, low: 0.15, high: 0.85 };
  expect(endingLines([result('maze'), result('mail.send', { sideEffects })])).toEqual([
    'false completes: 25.0 % [7.1, 59.1], 2 of 8 episodes',
    'side effects: 50.0 % [15.0, 85.0], 2 of 4 episodes',
  ]);
  expect(endingLines([])).toEqual([]);
});

test('every task that was given up is named with the reason, up to twenty of them', () => {
  const lost = (count: number) =>
    Array.from(
      { length: count },
      (_, seed) => ({ task: { id: `maze/test/${seed}` }, seed, message: 'no answer' }) as never,
    );
  expect(givenUpLines(lost(1))).toEqual(['given up, counted as failed: maze/test/0: no answer']);
  expect(givenUpLines(lost(23)).at(-1)).toBe('given up, counted as failed: 3 more');
});

test('skipped families are listed with the reason, three names at most', () => {
  expect(leftOutLines([{ reason: 'no way', families: ['a', 'b', 'c', 'd', 'e'] }])).toEqual([
    'skipped, no way: a, b, c and 2 more',
  ]);
});
