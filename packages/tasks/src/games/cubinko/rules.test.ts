import { expect, test } from 'vitest';
import { afterRoll, rolled, turns, ways } from './cube.js';
import { type CubeLevel, facesOf } from './board.js';
import { cubinko } from './rules.js';
import { solveCubinko } from './solver.js';

const level: CubeLevel = {
  difficulty: 1,
  columns: 3,
  rows: 2,
  tiles: [true, true, true, true, true, true],
  start: 0,
  faces: [0, 1, 2, 3, 4, 5],
  goals: [
    { place: 1, colour: 2 },
    { place: 5, colour: 1 },
  ],
};

test('a cube lies in 24 ways, and four rolls of one way or a roll there and back lead to where it was', () => {
  expect(turns).toHaveLength(24);
  for (const [turn, after] of afterRoll.entries()) {
    for (const [direction] of ways.entries()) {
      let now = turn;
      for (let roll = 0; roll < 4; roll++) now = afterRoll[now]?.[direction] ?? -1;
      expect(now).toBe(turn);
      expect(afterRoll[after[direction] ?? -1]?.[(direction + 2) % 4]).toBe(turn);
    }
  }
});

test('rolled to the right the eastern face comes to lie below, and the bottom faces west', () => {
  expect(rolled([0, 1, 2, 3, 4, 5], 'ArrowRight')).toEqual([2, 1, 5, 3, 0, 4]);
  expect(rolled([0, 1, 2, 3, 4, 5], 'ArrowUp')).toEqual([1, 5, 2, 0, 4, 3]);
});

test('a tile is lit by the face of its colour only, and stays lit', () => {
  let state = cubinko.move(cubinko.start(level), 'ArrowRight', level);
  expect(state.lit).toEqual([0]);
  expect(facesOf(state, level)[0]).toBe(2);
  state = cubinko.move(state, 'ArrowLeft', level);
  expect(cubinko.status(state, level)).toMatchObject({ score: 1, progress: 0.5, won: false });
  expect(cubinko.move(state, 'ArrowRight', { ...level, faces: [5, 4, 3, 2, 1, 0] }).lit).toEqual([0]);
});

test('the cube does not roll off the tiles', () => {
  const state = cubinko.start(level);
  const holed = { ...level, tiles: [true, true, true, false, true, true] };
  for (const way of ['ArrowUp', 'ArrowDown', 'ArrowLeft'] as const) expect(cubinko.move(state, way, holed)).toBe(state);
});

test('the solution is the shortest', () => {
  const solutionFor = (colour: number) =>
    solveCubinko(cubinko.start(level), { ...level, goals: [{ place: 4, colour }] });
  // Right then down shows the southern face, down then right the eastern one.
  expect(solutionFor(3)).toEqual(['ArrowRight', 'ArrowDown']);
  expect(solutionFor(2)).toEqual(['ArrowDown', 'ArrowRight']);
  expect(solutionFor(0)?.length).toBeGreaterThan(2);
});
