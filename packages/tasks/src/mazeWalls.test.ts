import { expect, test } from 'vitest';
import { distancesTo, drawOpenings, neighbour } from './mazeWalls.js';
import { Random } from './random.js';

test('every tile of a maze can be reached, and an opening is open from both sides', () => {
  for (let seed = 0; seed < 300; seed++) {
    const openings = drawOpenings(new Random(`walls/${seed}`));
    expect(distancesTo(5, openings).every(Number.isFinite)).toBe(true);
    for (const [tile, bits] of openings.entries()) {
      for (let way = 0; way < 4; way++) {
        if (!(bits & (1 << way))) continue;
        const next = neighbour(tile, way);
        expect(next).toBeDefined();
        expect((openings[next ?? 0] ?? 0) & (1 << (way ^ 2))).not.toBe(0);
      }
    }
  }
});

test('distances are those of a maze worked out by hand', () => {
  // One corridor: along the first row, down at the right, back along the second row, and so on.
  const snake = [2, 10, 10, 12, 6, 10, 10, 9, 3, 10, 10, 12, 2, 10, 10, 9];
  expect(distancesTo(12, snake)).toEqual([15, 14, 13, 12, 8, 9, 10, 11, 7, 6, 5, 4, 0, 1, 2, 3]);
});
