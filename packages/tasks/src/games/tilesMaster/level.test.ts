import { expect, test } from 'vitest';
import { makeTilesLevel } from './level.js';
import { solveTiles } from './solver.js';
import { Random } from '../../family/random.js';

test.each([1, 2, 3, 4, 5])(
  'stacks of difficulty %i have three of each kind or a multiple, and lie on each other',
  (difficulty) => {
    for (let seed = 0; seed < 4; seed++) {
      const { tiles } = makeTilesLevel(new Random(`tiles/${seed}`), difficulty);
      const counts = new Map<number, number>();
      for (const { kind } of tiles) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      expect([...counts.values()].filter((count) => count % 3 !== 0)).toEqual([]);
      const spots = tiles.map(({ x, y, layer }) => [x, y, layer].join());
      expect(new Set(spots).size).toBe(tiles.length);
      for (const { x, y, layer } of tiles) {
        const below = tiles.filter((other) => other.layer === layer - 1);
        if (layer > 0) expect(below.some((other) => Math.abs(other.x - x) < 2 && Math.abs(other.y - y) < 2)).toBe(true);
      }
    }
  },
);

test('a stack of six is cleared by the solution', () => {
  const level = makeTilesLevel(new Random('tiles/six'), 1);
  const order = solveTiles({ left: [...level.tiles.keys()], tray: [] }, level);
  expect(order?.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
});
