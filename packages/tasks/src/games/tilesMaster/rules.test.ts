import { expect, test } from 'vitest';
import { tilesMaster } from './rules.js';
import { type TilesLevel, type TilesState, isFree, addToTray } from './tiles.js';
import { solveTiles } from './solver.js';

const level: TilesLevel = {
  difficulty: 1,
  tiles: [
    { x: 0, y: 0, layer: 0, kind: 5 },
    { x: 2, y: 0, layer: 0, kind: 5 },
    { x: 1, y: 1, layer: 1, kind: 5 },
  ],
};

test('a tile is free when nothing lies on it', () => {
  const state = tilesMaster.start(level);
  expect([0, 1, 2].map((index) => isFree(state, level, index))).toEqual([false, false, true]);
  expect(tilesMaster.move(state, 0, level)).toBe(state);
  const after = tilesMaster.move(state, 2, level);
  expect([0, 1].map((index) => isFree(after, level, index))).toEqual([true, true]);
  expect(tilesMaster.move(after, 2, level)).toBe(after);
});

test('equal tiles lie together in the tray, and three of a kind vanish', () => {
  expect(addToTray([1, 2, 3], 2)).toEqual([1, 2, 2, 3]);
  expect(addToTray([1, 2, 2, 3], 2)).toEqual([1, 3]);
  expect(addToTray([], 4)).toEqual([4]);
});

test('it is won when no tile is left', () => {
  let state = tilesMaster.start(level);
  for (const index of [2, 0, 1]) state = tilesMaster.move(state, index, level);
  expect(tilesMaster.status(state, level)).toMatchObject({ won: true, progress: 1, score: 3 });
});

test('it is lost when the tray is full, and nothing is taken any more', () => {
  const state: TilesState = { left: [0, 1, 2], tray: [0, 0, 1, 1, 2, 2, 3] };
  expect(tilesMaster.status(state, level)).toMatchObject({ won: false, over: true, lives: 0 });
  expect(tilesMaster.move(state, 2, level)).toBe(state);
});

test('the solution keeps off a tile that would fill the tray', () => {
  const kinds = [0, 1, 1, 2, 0, 2];
  const wide: TilesLevel = { difficulty: 1, tiles: kinds.map((kind, x) => ({ x: 2 * x, y: 0, layer: 0, kind })) };
  const state: TilesState = { left: [0, 1, 2, 3, 4, 5], tray: [1, 2, 0, 7, 7, 8] };
  expect(solveTiles(state, wide)).toBeUndefined();
  const order = solveTiles({ ...state, tray: [1, 2, 0] }, wide);
  expect(order?.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
});
