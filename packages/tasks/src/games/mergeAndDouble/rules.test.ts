import { expect, test } from 'vitest';
import { type MergeLevel, type MergeState, groupAt, merge, mergeAndDouble } from './rules.js';

const level: MergeLevel = { difficulty: 1, columns: 3, rows: 3, target: 16, values: [2], seed: 1 };
const state = (cells: readonly number[]): MergeState => ({ cells, score: 0, first: 8, seed: 1 });

test('a group is what hangs together edge to edge', () => {
  const cells = [2, 4, 2, 2, 2, 4, 4, 2, 2];
  expect(groupAt(cells, 3, 0).toSorted()).toEqual([0, 3, 4, 7, 8]);
  expect(groupAt(cells, 3, 2)).toEqual([2]);
});

test('a group becomes one tile of double value where it is pressed, and what is above falls', () => {
  const merged = merge([8, 4, 4, 2, 2, 8, 4, 2, 8], 3, 3);
  expect(merged?.value).toBe(4);
  expect(merged?.cells).toEqual([8, 0, 4, 4, 0, 8, 4, 4, 8]);
});

test('new tiles fill what got empty, and the tile that was made is scored', () => {
  const after = mergeAndDouble.move(state([8, 4, 4, 2, 2, 8, 4, 2, 8]), 7, level);
  expect(after.cells).toEqual([2, 2, 4, 8, 4, 8, 4, 4, 8]);
  expect(after.score).toBe(4);
});

test('a press on a single tile changes nothing', () => {
  const before = state([8, 4, 8, 2, 2, 4, 4, 8, 2]);
  expect(mergeAndDouble.move(before, 0, level)).toBe(before);
  expect(mergeAndDouble.move(before, 99, level)).toBe(before);
});

test('it is won with the target, and lost where no equal tiles touch', () => {
  expect(mergeAndDouble.status(state([2, 4, 2, 4, 16, 4, 2, 4, 2]), level)).toMatchObject({ won: true, progress: 1 });
  expect(mergeAndDouble.status(state([2, 4, 2, 4, 8, 4, 2, 4, 2]), level)).toMatchObject({
    won: false,
    over: true,
    lives: 0,
  });
});

test('the solution takes a merge that wins', () => {
  const cells = [2, 2, 4, 4, 2, 4, 8, 2, 8];
  expect(mergeAndDouble.hint(state([2, 2, 4, 4, 8, 8, 2, 4, 2]), level)).toBe(4);
  expect(mergeAndDouble.hint(state(cells), level)).toBeDefined();
});
