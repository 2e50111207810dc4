import { expect, test } from 'vitest';
import { type PathLevel, mazePathOfLight } from './rules.js';

/** No walls: start at the upper left, goal beside it, a light at the lower right. */
const level: PathLevel = {
  difficulty: 1,
  columns: 3,
  rows: 2,
  // Sides: up 1, right 2, down 4, left 8.
  open: [6, 14, 12, 3, 11, 9],
  start: 0,
  goal: 1,
  lights: [5],
  path: [0, 3, 4, 5, 2, 1],
};
const start = mazePathOfLight.start(level);

test('the path goes straight on, and neither round corners nor into the goal before all lights are on it', () => {
  expect(mazePathOfLight.move(start, 3, level)).toEqual({ trail: [0, 3] });
  expect(mazePathOfLight.move(start, 4, level)).toBe(start);
  expect(mazePathOfLight.move(start, 1, level)).toBe(start);
  const down = { trail: [0, 3] };
  expect(mazePathOfLight.move(down, 5, level)).toEqual({ trail: [0, 3, 4, 5] });
});

test('walls and the path itself are in the way', () => {
  const walled = { ...level, open: [2, 14, 12, 2, 11, 9] };
  expect(mazePathOfLight.move(start, 3, walled)).toBe(start);
  const hook = { ...level, goal: 5, lights: [], open: level.open };
  const bent = { trail: [0, 1, 4, 3] };
  expect(mazePathOfLight.move(bent, 5, hook)).toBe(bent);
});

test('to a place of the path it is taken back', () => {
  expect(mazePathOfLight.move({ trail: [0, 3, 4, 5] }, 3, level)).toEqual({ trail: [0, 3] });
  const head = { trail: [0, 3] };
  expect(mazePathOfLight.move(head, 3, level)).toBe(head);
});

test('lights count while the path is on them, and it is won at the goal', () => {
  expect(mazePathOfLight.status({ trail: [0, 3, 4, 5] }, level)).toMatchObject({
    score: 1,
    progress: 0.5,
    won: false,
  });
  expect(mazePathOfLight.status({ trail: [0, 3, 4] }, level)).toMatchObject({ score: 0, progress: 0 });
  expect(mazePathOfLight.status({ trail: level.path }, level)).toMatchObject({ score: 1, progress: 1, won: true });
});

test('the solution goes back to where the path left it', () => {
  expect(mazePathOfLight.hint(start, level)).toBe(3);
  expect(mazePathOfLight.hint({ trail: [0, 3] }, level)).toBe(5);
  const detour = { ...level, goal: 2, path: [0, 3, 4, 5, 2] };
  expect(mazePathOfLight.hint({ trail: [0, 1, 4] }, detour)).toBe(0);
});
