import { expect, test } from 'vitest';
import { fewestTurns } from './fewestTurns.js';
import { closedPlaces, infinityLoop } from './rules.js';

// The left bulb faces up, the right one faces it.
const pair = { difficulty: 1, columns: 2, rows: 1, tiles: [1, 8] };
const start = infinityLoop.start(pair);

test('a click turns a tile a quarter clockwise; what looks the same after it is not turned', () => {
  expect(infinityLoop.move(start, 0, pair)).toEqual({ tiles: [2, 8] });
  const cross = { ...pair, tiles: [0, 15] };
  const state = infinityLoop.start(cross);
  expect(infinityLoop.move(state, 0, cross)).toBe(state);
  expect(infinityLoop.move(state, 1, cross)).toBe(state);
});

test('it is won when every end meets another, and an end at the edge is open', () => {
  expect(infinityLoop.status(start, pair)).toMatchObject({ won: false, progress: 0 });
  expect(infinityLoop.status({ tiles: [2, 8] }, pair)).toMatchObject({ won: true, progress: 1, score: 1 });
  expect(infinityLoop.status({ tiles: [10, 8] }, pair)).toMatchObject({ won: false, progress: 2 / 3 });
  expect([...closedPlaces(pair, [2, 8])]).toEqual([0, 1]);
  expect([...closedPlaces(pair, [10, 8])]).toEqual([]);
});

test('the solver finds the fewest turns, whichever net they make', () => {
  expect(fewestTurns(pair, [1, 8])).toEqual([1, 0]);
  expect(fewestTurns({ columns: 2, rows: 2 }, [12, 9, 6, 3])).toEqual([3, 3, 3, 3]);
  expect(fewestTurns({ columns: 2, rows: 1 }, [1, 5])).toBeUndefined();
});
