import { expect, test } from 'vitest';
import { movesToWin } from '../solving/movesToWin.js';
import { crossings, yarnUntangle } from './rules.js';
import { overlap, touch } from './touch.js';

const level = {
  difficulty: 1,
  columns: 3,
  rows: 2,
  threads: [
    [0, 1],
    [2, 3],
  ] as const,
  pins: [0, 4, 1, 3],
  untangled: [0, 4, 1, 5],
};
const start = yarnUntangle.start(level);

test('a pin goes into a free hole only', () => {
  expect(yarnUntangle.move(start, { pin: 3, to: 5 }, level)).toEqual({ pins: [0, 4, 1, 5] });
  expect(yarnUntangle.move(start, { pin: 3, to: 4 }, level)).toBe(start);
  expect(yarnUntangle.move(start, { pin: 3, to: 6 }, level)).toBe(start);
  expect(yarnUntangle.move(start, { pin: 3, to: 3 }, level)).toBe(start);
});

test('it is won when nothing crosses', () => {
  expect(yarnUntangle.status(start, level)).toMatchObject({ score: 0, progress: 0, won: false });
  const move = yarnUntangle.hint(start, level);
  expect(move && yarnUntangle.status(yarnUntangle.move(start, move, level), level)).toMatchObject({
    score: 1,
    progress: 1,
    won: true,
  });
});

test('threads that run over a pin or along each other touch, those that share a pin do not', () => {
  const spot = (x: number, y: number) => ({ x, y });
  expect(touch(spot(0, 0), spot(2, 2), spot(0, 2), spot(2, 0))).toEqual(spot(1, 1));
  expect(touch(spot(0, 0), spot(2, 0), spot(1, 0), spot(1, 1))).toEqual(spot(1, 0));
  expect(touch(spot(0, 0), spot(1, 0), spot(2, 0), spot(3, 0))).toBeUndefined();
  expect(overlap(spot(0, 0), spot(1, 1), spot(2, 2))).toEqual(spot(1, 1));
  expect(overlap(spot(0, 0), spot(1, 1), spot(-1, -1))).toBeUndefined();
  const corner = { columns: 3, threads: [[0, 1] as const, [1, 2] as const] };
  expect(crossings(corner, [0, 1, 4])).toBe(0);
  expect(crossings(corner, [0, 2, 1])).toBe(1);
});

test('the solution untangles a board on which every pin is in the place of another', () => {
  // A wheel: pin 4 in the middle, threads to all corners and around.
  const wheel = {
    ...level,
    rows: 3,
    threads: [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 0],
      [0, 4],
      [1, 4],
      [2, 4],
      [3, 4],
    ] as [number, number][],
    untangled: [0, 2, 8, 6, 4],
  };
  expect(crossings(wheel, wheel.untangled)).toBe(0);
  for (const pins of [
    [4, 8, 0, 2, 6],
    [2, 0, 6, 4, 8],
    [8, 6, 4, 0, 2],
  ]) {
    expect(crossings(wheel, pins)).toBeGreaterThan(0);
    expect(movesToWin(yarnUntangle, { ...wheel, pins }, 10)).toBeGreaterThan(0);
  }
});
