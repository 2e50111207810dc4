import { expect, test } from 'vitest';
import { movesToGate } from './positions.js';
import { blockAt, freeTheKey } from './rules.js';

/** An upright block of three blocks the key, with room below. */
const level = {
  difficulty: 1,
  blocks: [
    { isUpright: false, lane: 2, length: 2 },
    { isUpright: true, lane: 4, length: 3 },
  ],
  at: [0, 0],
};
const start = freeTheKey.start(level);

test('a block slides along its lane as far as there is room, and no further', () => {
  expect(freeTheKey.move(start, { block: 0, to: 2 }, level)).toEqual({ at: [2, 0] });
  expect(freeTheKey.move(start, { block: 0, to: 3 }, level)).toBe(start);
  expect(freeTheKey.move(start, { block: 1, to: 4 }, level)).toBe(start);
  expect(freeTheKey.move(start, { block: 1, to: 0 }, level)).toBe(start);
  expect(blockAt(level.blocks, start.at, 16)).toBe(1);
  expect(blockAt(level.blocks, start.at, 22)).toBeUndefined();
});

test('the fewest moves free the key', () => {
  expect(movesToGate(level.blocks, start.at)).toBe(2);
  expect(freeTheKey.hint(start, level)).toEqual({ block: 1, to: 3 });
  const open = freeTheKey.move(start, { block: 1, to: 3 }, level);
  expect(freeTheKey.status(open, level)).toMatchObject({ score: 1, progress: 0.5, won: false });
  const out = freeTheKey.move(open, { block: 0, to: 4 }, level);
  expect(freeTheKey.status(out, level)).toMatchObject({ score: 2, progress: 1, won: true, over: true });
});

test('a key behind a block that cannot leave its row is never out', () => {
  const stuck = [
    { isUpright: false, lane: 2, length: 2 },
    { isUpright: false, lane: 2, length: 2 },
  ];
  expect(movesToGate(stuck, [0, 3])).toBeUndefined();
});
