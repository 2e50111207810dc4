import { expect, test } from 'vitest';
import { beamOf } from './beam.js';
import type { LaserLevel } from './level.js';
import { laserMaze, nextFace } from './rules.js';

/** A laser facing a mirror at the upper right, a crystal below it and one between. */
const level: LaserLevel = {
  difficulty: 1,
  columns: 3,
  rows: 2,
  laser: { place: 0, side: 2 },
  walls: [],
  crystals: [1, 5],
  mirrors: [{ place: 2, kind: 'mirror' }],
  faces: [1],
  solved: [2],
};
const start = laserMaze.start(level);

test('a mirror turns the beam, and the crystals that it goes through are lit', () => {
  expect(laserMaze.status(start, level)).toMatchObject({ score: 1, progress: 0.5, won: false });
  expect(laserMaze.hint(start, level)).toBe(0);
  const turned = laserMaze.move(start, 0, level);
  expect(beamOf(level, turned.faces)).toEqual([
    { from: 0, side: 2, to: 1 },
    { from: 1, side: 2, to: 2 },
    { from: 2, side: 4, to: 5 },
    { from: 5, side: 4 },
  ]);
  expect(laserMaze.status(turned, level)).toMatchObject({ score: 2, won: true });
});

test('a wall ends the beam, and there is no mirror beyond the last', () => {
  expect(laserMaze.status(start, { ...level, walls: [1], crystals: [5] }).score).toBe(0);
  expect(laserMaze.move(start, 1, level)).toBe(start);
});

test('a splitter lets half of the light go on', () => {
  const split: LaserLevel = { ...level, crystals: [2, 4], mirrors: [{ place: 1, kind: 'splitter' }], faces: [2] };
  expect(laserMaze.status({ faces: [2] }, split).won).toBe(true);
  expect(laserMaze.status({ faces: [1] }, split).score).toBe(1);
});

test('a socket is empty, holds a mirror one way, then the other; a mirror only turns', () => {
  const socket = { place: 0, kind: 'socket' } as const;
  expect([nextFace(socket, 0), nextFace(socket, 1), nextFace(socket, 2)]).toEqual([1, 2, 0]);
  expect([nextFace({ place: 0, kind: 'mirror' }, 1), nextFace({ place: 0, kind: 'mirror' }, 2)]).toEqual([2, 1]);
});

test('light that comes back to its own way ends there', () => {
  const ring: LaserLevel = {
    ...level,
    rows: 3,
    crystals: [],
    laser: { place: 1, side: 2 },
    mirrors: [2, 8, 6, 0].map((place) => ({ place, kind: 'mirror' as const })),
    faces: [2, 1, 2, 1],
    solved: [2, 1, 2, 1],
  };
  expect(beamOf(ring, ring.faces).length).toBe(8);
});
