import { expect, test } from 'vitest';
import { collapse, matches, settle, swapsOf } from './board.js';
import { type CandyLevel, candyCrush } from './rules.js';

const level: CandyLevel = { difficulty: 1, kinds: 4, moves: 5, target: 40, seed: 7 };

const quiet = Array.from({ length: 64 }, (_, place) => [1, 2, 3, 4][((place % 8) + 2 * (place >> 3)) % 4] ?? 0);
const withCells = (changes: Readonly<Record<number, number>>) => quiet.map((kind, place) => changes[place] ?? kind);

test('lines of three or more match, across and down', () => {
  expect(matches(quiet)).toEqual([]);
  expect(matches(withCells({ 1: 1, 2: 1 }))).toEqual([0, 1, 2]);
  expect(matches(withCells({ 8: 1, 24: 2 }))).toEqual([0, 8, 16]);
  expect(matches(withCells({ 7: 3 }))).toEqual([]);
});

test('what is above falls, and empty places are left at the top', () => {
  const after = collapse(quiet, [56, 48]);
  expect([0, 8, 16, 24, 32, 40, 48, 56].map((place) => after[place])).toEqual([0, 0, 1, 3, 1, 3, 1, 3]);
});

test('a swap that makes a line scores what vanishes and costs a move', () => {
  const state = candyCrush.start(level);
  const [swap] = swapsOf(state.cells);
  if (!swap) throw new Error('no swap makes a line');
  const after = candyCrush.move(state, swap, level);
  expect(after.left).toBe(4);
  expect(after.score).toBeGreaterThanOrEqual(3);
  expect(matches(after.cells)).toEqual([]);
  expect(candyCrush.move(state, swap, level)).toEqual(after);
});

test('a swap that makes none costs a move and nothing else, and places that are apart are not swapped', () => {
  const state = { cells: withCells({ 0: 2, 1: 1 }), left: 5, score: 3, seed: 1 };
  expect(candyCrush.move(state, { from: 20, to: 21 }, level)).toEqual({ ...state, left: 4 });
  expect(candyCrush.move(state, { from: 7, to: 8 }, level)).toBe(state);
  expect(candyCrush.move(state, { from: 0, to: 2 }, level)).toBe(state);
});

test('it is won with the score, and lost when the moves are used up', () => {
  const state = { cells: quiet, left: 0, score: 39, seed: 1 };
  expect(candyCrush.status(state, level)).toMatchObject({ won: false, over: true, lives: 0 });
  expect(candyCrush.status({ ...state, score: 40 }, level)).toMatchObject({ won: true, progress: 1 });
});

test('a board that no swap helps is shuffled', () => {
  const board = Array.from({ length: 64 }, (_, place) => [1, 2, 3, 4][((place % 8) + 2 * (place >> 3)) % 4] ?? 0);
  const { cells, gone } = settle(board, 4, 3);
  expect(swapsOf(cells).next().done).toBe(false);
  expect(gone).toBe(0);
});
