import { expect, test } from 'vitest';
import { woodBlocks3d, woodLattice } from './rules.js';
import type { FillLevel, FillState } from '../filling/rules.js';

// Shape 0 is one block, 3 a row of three, 4 a column of three, 8 a corner.
const level: FillLevel = { difficulty: 1, side: 3, cells: [], goal: 2, shapes: [0], seed: 1 };
const state = (cells: readonly number[], tray: readonly number[]): FillState => ({
  cells,
  tray,
  lines: 0,
  score: 0,
  seed: 1,
});

test('a row and a column that are full at once both vanish', () => {
  const before = state([0, 7, 7, 7, 0, 0, 7, 0, 5], [0, 3, -1]);
  expect(woodBlocks3d.move(before, { slot: 0, place: 0 }, level)).toMatchObject({
    cells: [0, 0, 0, 0, 0, 0, 0, 0, 5],
    tray: [-1, 3, -1],
    lines: 2,
    score: 1 + 40,
  });
});

test('new pieces come when all three are laid', () => {
  const after = woodBlocks3d.move(state([0, 0, 0, 0, 0, 0, 0, 0, 0], [-1, 8, -1]), { slot: 1, place: 3 }, level);
  expect(after.cells).toEqual([0, 0, 0, 9, 9, 0, 0, 9, 0]);
  expect(after.tray).toEqual([0, 0, 0]);
});

test('a piece that would lie on blocks or over the edge changes nothing', () => {
  const before = state([1, 0, 0, 0, 0, 0, 0, 0, 0], [3, 4, -1]);
  expect(woodBlocks3d.move(before, { slot: 0, place: 0 }, level)).toBe(before);
  expect(woodBlocks3d.move(before, { slot: 0, place: 4 }, level)).toBe(before);
  expect(woodBlocks3d.move(before, { slot: 1, place: 4 }, level)).toBe(before);
});

test('it is lost where no piece of the tray fits, and won with the lines asked for', () => {
  const full = [1, 0, 1, 0, 1, 0, 1, 0, 1];
  expect(woodBlocks3d.status(state(full, [3, 4, -1]), level)).toMatchObject({ over: true, won: false, lives: 0 });
  expect(woodBlocks3d.status({ ...state(full, [3, 4, -1]), lines: 2 }, level)).toMatchObject({
    won: true,
    progress: 1,
  });
});

test('the solution takes the line that wins', () => {
  const before = { ...state([1, 1, 0, 0, 0, 0, 1, 0, 0], [0, -1, -1]), lines: 1 };
  expect(woodBlocks3d.hint(before, level)).toEqual({ slot: 0, place: 2 });
  expect(woodLattice(3).lines).toHaveLength(6);
});
