import { expect, test } from 'vitest';
import { type GemLevel, type GemState, gem11, joinsOf } from './rules.js';

const level: GemLevel = { difficulty: 1, columns: 3, rows: 2, target: 7, ranks: [4], seed: 1 };
const state = (cells: readonly number[]): GemState => ({ cells, score: 0, first: 5, seed: 1 });

test('a gem on an equal neighbour makes the next rank there, and a new gem appears where it came from', () => {
  const after = gem11.move(state([5, 5, 3, 3, 4, 2]), { from: 0, to: 1 }, level);
  expect(after.cells).toEqual([4, 6, 3, 3, 4, 2]);
  expect(after.score).toBe(64);
});

test('gems that differ, are apart or lie at both ends of a row break do not join', () => {
  const before = state([5, 4, 3, 3, 5, 5]);
  for (const move of [
    { from: 0, to: 1 },
    { from: 0, to: 4 },
    { from: 2, to: 3 },
    { from: 0, to: 0 },
  ]) {
    expect(gem11.move(before, move, level)).toBe(before);
  }
});

test('the joins of a board go both ways', () => {
  expect([...joinsOf([5, 4, 3, 3, 4, 2], 3)]).toEqual([
    { from: 1, to: 4 },
    { from: 4, to: 1 },
  ]);
});

test('it is won with the gem asked for, and lost where nothing joins', () => {
  expect(gem11.status(state([7, 4, 3, 3, 5, 2]), level)).toMatchObject({ won: true, over: true });
  expect(gem11.status(state([5, 4, 3, 3, 5, 2]), level)).toMatchObject({ won: false, over: true, lives: 0 });
});

test('the solution brings two equal gems together by way of a third', () => {
  // Merging the 5s makes a 6 next to another.
  expect(gem11.hint(state([5, 5, 6, 3, 4, 2]), level)).toEqual({ from: 0, to: 1 });
});
