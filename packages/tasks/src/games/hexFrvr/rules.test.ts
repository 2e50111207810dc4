import { expect, test } from 'vitest';
import { hexFrvr, hexLattice } from './rules.js';
import type { FillLevel, FillState } from '../filling/rules.js';

// Rows of two, three and two cells. Shape 0 is single, shape 4 three in a row.
const level: FillLevel = { difficulty: 1, side: 2, cells: [], goal: 3, shapes: [0], seed: 1 };
const state = (cells: readonly number[], tray: readonly number[]): FillState => ({
  cells,
  tray,
  lines: 0,
  score: 0,
  seed: 1,
});

test('a board of side 2 has nine lines, of which the three through the middle are the longest', () => {
  const { cells, lines, near } = hexLattice(2);
  expect(cells).toHaveLength(7);
  expect(lines.map(({ length }) => length).toSorted()).toEqual([2, 2, 2, 2, 2, 2, 3, 3, 3]);
  expect(near[3]?.toSorted()).toEqual([0, 1, 2, 4, 5, 6]);
});

test('a full line vanishes, and a new piece comes for the one that was laid', () => {
  const after = hexFrvr.move(state([0, 0, 0, 0, 0, 0, 0], [4, 0, 0]), { slot: 0, place: 2 }, level);
  expect(after).toMatchObject({ cells: [0, 0, 0, 0, 0, 0, 0], tray: [0, 0, 0], lines: 1, score: 3 + 10 });
});

test('all lines that are full at once vanish, and count the more', () => {
  // Completes the middle row and a diagonal.
  const after = hexFrvr.move(state([0, 0, 1, 0, 1, 0, 0], [2, 0, 0]), { slot: 0, place: 3 }, level);
  expect(after).toMatchObject({ cells: [0, 0, 0, 0, 0, 0, 0], lines: 2, score: 2 + 40 });
});

test('a piece that does not fit, or that is not there, changes nothing', () => {
  const before = state([0, 0, 0, 1, 0, 0, 0], [4, -1, 0]);
  expect(hexFrvr.move(before, { slot: 0, place: 2 }, level)).toBe(before);
  expect(hexFrvr.move(before, { slot: 0, place: 0 }, level)).toBe(before);
  expect(hexFrvr.move(before, { slot: 1, place: 0 }, level)).toBe(before);
});

test('it is lost where no piece of the tray fits', () => {
  expect(hexFrvr.status(state([0, 0, 0, 1, 0, 0, 0], [4, -1, 4]), level)).toMatchObject({
    over: true,
    won: false,
    lives: 0,
  });
  expect(hexFrvr.status(state([0, 0, 0, 1, 0, 0, 0], [4, -1, 0]), level)).toMatchObject({ over: false, lives: 1 });
});
