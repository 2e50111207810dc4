import { expect, test } from 'vitest';
import { distancesTo, drawOpenings, neighbour, shortestPath } from './mazeWalls.js';
import { Random } from '../family/random.js';

test('every tile of a maze can be reached, and an opening is open from both sides', () => {
  for (let seed = 0; seed < 300; seed++) {
    const openings = drawOpenings(new Random(`walls/${seed}`));
    expect(distancesTo(5, openings).every(Number.isFinite)).toBe(true);
    for (const [tile, bits] of openings.entries()) {
      for (let direction = 0; direction < 4; direction++) {
        if (!(bits & (1 << direction))) continue;
        const next = neighbour(tile, direction);
        expect(next).toBeDefined();
        expect((openings[next ?? 0] ?? 0) & (1 << (direction ^ 2))).not.toBe(0);
      }
    }
  }
});

test('distances are those of a maze worked out by hand', () => {
  const snake = [2, 10, 10, 12, 6, 10, 10, 9, 3, 10, 10, 12, 2, 10, 10, 9];
  expect(distancesTo(12, snake)).toEqual([15, 14, 13, 12, 8, 9, 10, 11, 7, 6, 5, 4, 0, 1, 2, 3]);
});

test('the shortest way is as long as the distance, leads there, and has no letters where one is there', () => {
  const snake = [2, 10, 10, 12, 6, 10, 10, 9, 3, 10, 10, 12, 2, 10, 10, 9];
  expect(shortestPath(2, 5, snake)).toBe('RDLL');
  expect(shortestPath(5, 5, snake)).toBe('');
  for (let seed = 0; seed < 100; seed++) {
    const openings = drawOpenings(new Random(`way/${seed}`));
    const [from, to] = [seed % 16, (seed * 7 + 3) % 16];
    const direction = shortestPath(from, to, openings);
    expect(direction).toHaveLength(distancesTo(to, openings)[from] ?? NaN);
    expect([...direction].reduce((tile, letter) => neighbour(tile, 'URDL'.indexOf(letter)) ?? NaN, from)).toBe(to);
  }
});
