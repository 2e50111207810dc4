import { expect, test } from 'vitest';
import { resultTable, share } from './resultTable.js';
import { markdownTable, table } from './table.js';

test('a table has columns of equal width', () => {
  expect(
    table(
      ['family', 'n'],
      [
        ['click', '200'],
        ['a', '3'],
      ],
    ),
  ).toEqual(['family     n', '────────────', 'click    200', 'a          3']);
});

test('a table in Markdown keeps its cells apart', () => {
  expect(markdownTable(['family', 'n'], [['a|b', '3']])).toEqual(['| family | n |', '| --- | ---: |', '| a\\|b | 3 |']);
});

test('results show each policy with its interval', () => {
  const interval = (success: number, low: number, high: number) => ({ success, low, high });
  const maze = {
    family: 'maze',
    n: 200,
    random: interval(0.1, 0.07, 0.15),
    start: interval(0.4, 0.33, 0.47),
    trained: interval(0.8, 0.74, 0.85),
    oracle: interval(1, 0.98, 1),
    gain: { mean: 0.4, low: -0.02, high: 0.82 },
  };
  const lines = resultTable([maze], maze.gain);
  expect(lines[0]).toMatch(/family +episodes +random +start +trained +gain +oracle/);
  expect(lines[2]).toMatch(
    /maze +200 +10 % \(7–15\) +40 % \(33–47\) +80 % \(74–85\) +\+40 \(−2 to \+82\) +100 % \(98–100\)/,
  );
  expect(lines).toHaveLength(3);
  const menu = { ...maze, family: 'menu', n: 10, trained: interval(0.6, 0.3, 0.8) };
  expect(resultTable([maze, menu], { mean: 0.3, low: 0.1, high: 0.5 }).at(-1)).toMatch(
    /mean +210 +10 % +40 % +70 % +\+30 \(\+10 to \+50\) +100 %/,
  );
});

test('rounding never claims all or nothing', () => {
  expect(share({ success: 0.9996, low: 0.001, high: 1 })).toBe('99.9 % (0.1–100)');
});
