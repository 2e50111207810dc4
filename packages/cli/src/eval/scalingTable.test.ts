import { wilson } from '@gyre/training';
import { expect, test } from 'vitest';
import type { ScalingResult } from '@gyre/training';
import { scalingCharts, scalingTable } from './scalingTable.js';

const result = (family: string, budget: number, n: number, over: Partial<ScalingResult> = {}): ScalingResult => ({
  ...{ family, split: 'test', policy: 'nano', budget, n, tasks: 4, judge: 'confidence', infraErrors: 0 },
  ...{ chosen: wilson(2, 4), any: wilson(3, 4), mean: 0.375, turns: 2.5 },
  ...over,
});

test('a line for each budget and number of attempts, and their means where there are several families', () => {
  const [header, rows] = scalingTable([result('maze', 5, 1), result('maze', 5, 4)]);
  expect(header[6]).toBe('chosen by confidence');
  expect(rows).toEqual([
    ['maze', 'test', 'nano', '5', '1', '4', '50 % (15–85)', '75 % (30–95)', '37.5 %', '2.5', '0'],
    ['maze', 'test', 'nano', '5', '4', '4', '50 % (15–85)', '75 % (30–95)', '37.5 %', '2.5', '0'],
  ]);
  const both = [result('maze', 5, 4), result('menu', 5, 4, { chosen: wilson(4, 4), mean: 0.875, infraErrors: 2 })];
  expect(scalingTable(both)[1].at(-1)).toEqual([
    'mean of 2',
    'test',
    'nano',
    '5',
    '4',
    '8',
    '75.0 %',
    '75.0 %',
    '62.5 %',
    '2.5',
    '2',
  ]);
  const [short, [row]] = scalingTable([result('maze', 5, 1)]);
  expect(short.slice(6)).toEqual(['success', 'turns', 'infra errors']);
  expect(row?.slice(6)).toEqual(['50 % (15–85)', '2.5', '0']);
});

test('prints no share of chosen attempts if none was chosen', () => {
  const { chosen: _, budget: __, ...unjudged } = result('maze', 5, 4);
  const [, [row]] = scalingTable([unjudged]);
  expect(row?.slice(3, 8)).toEqual(['own', '4', '4', '', '75 % (30–95)']);
  expect(scalingCharts([result('maze', 5, 1), { ...unjudged, budget: 5 }])[0]?.series[0]?.points).toEqual([[1, 0.5]]);
});

test('curves over the budget and over attempts, with a band where there is one family', () => {
  const [over, attempts] = scalingCharts([
    ...[result('maze', 5, 1, { chosen: wilson(1, 4) }), result('maze', 5, 4)],
    ...[result('maze', 10, 1), result('maze', 10, 4, { chosen: wilson(3, 4) })],
  ]);
  expect(over?.series.map(({ name, points }) => [name, points])).toEqual([
    [
      'one attempt',
      [
        [5, 0.25],
        [10, 0.5],
      ],
    ],
    [
      'best of 4',
      [
        [5, 0.5],
        [10, 0.75],
      ],
    ],
  ]);
  expect(over?.series[0]?.band).toHaveLength(2);
  expect(attempts?.series.map(({ points }) => points)).toEqual([
    [
      [1, 0.5],
      [4, 0.75],
    ],
    [
      [1, 0.75],
      [4, 0.75],
    ],
    [
      [1, 0.375],
      [4, 0.375],
    ],
  ]);
  expect(scalingCharts([result('maze', 5, 1), result('menu', 5, 1)])).toEqual([]);
});
