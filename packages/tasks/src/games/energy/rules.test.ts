import { expect, test } from 'vitest';
import { energy, turnsToTree } from './rules.js';

/** Source, upright wire and lamp in a row. */
const level = {
  difficulty: 1,
  columns: 3,
  rows: 1,
  tiles: [2, 5, 8],
  source: 0,
  lamps: [2],
  tree: [2, 10, 8],
};
const start = energy.start(level);

test('current goes from end to end, and a lamp is lit where it comes to', () => {
  expect(energy.status(start, level)).toMatchObject({ score: 0, progress: 0, won: false });
  const turned = energy.move(start, 1, level);
  expect(turned).toEqual({ tiles: [2, 10, 8] });
  expect(energy.status(turned, level)).toMatchObject({ score: 1, progress: 1, won: true });
});

test('a lamp that is turned away is dark again, and open ends do no harm', () => {
  expect(energy.status({ tiles: [2, 10, 1] }, level).won).toBe(false);
  expect(energy.status({ tiles: [2, 11, 8] }, level).won).toBe(true);
});

test('an empty place is not turned', () => {
  const gap = { ...level, tiles: [2, 0, 8] };
  const state = energy.start(gap);
  expect(energy.move(state, 1, gap)).toBe(state);
});

test('the solution follows the tree from the source', () => {
  const away = { ...level, tiles: [1, 5, 4] };
  expect(turnsToTree(away)).toEqual([1, 1, 1]);
  expect(energy.hint(energy.start(away), away)).toBe(0);
  expect(energy.hint({ tiles: [2, 5, 4] }, away)).toBe(1);
});
