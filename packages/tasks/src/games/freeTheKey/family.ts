import type { Random } from '../../family/random.js';
import { gameFamily } from '../gameFamily.js';
import { type Block, cellsOf, sideOfBoard } from './block.js';
import { placesOf, positionsOf } from './positions.js';
import { freeTheKey, gateRow } from './rules.js';

const plans = [
  { blocks: [5, 7], moves: [2, 4] },
  { blocks: [7, 9], moves: [5, 6] },
  { blocks: [8, 10], moves: [7, 9] },
  { blocks: [9, 12], moves: [10, 13] },
  { blocks: [10, 13], moves: [14, 30] },
] as const;

export const freeTheKeyFamily = gameFamily({
  game: freeTheKey,
  description: 'Slide blocks out of the way until the key can leave through the gate.',
  level(random, difficulty, isOwned) {
    const { blocks: count, moves: moveRange } = plans[difficulty - 1] ?? plans[0];
    for (;;) {
      const { blocks, blockPlaces } = scattered(random, random.between(count[0], count[1]));
      // Checked first, as the search is expensive.
      if (!isOwned(lanesOf(blocks, blockPlaces))) continue;
      const positions = positionsOf(blocks, blockPlaces);
      const fitting = positions?.codes.filter((_, position) => {
        const moves = positions.moves[position] ?? -1;
        return moves >= moveRange[0] && moves <= moveRange[1];
      });
      if (!fitting || fitting.length === 0) continue;
      return { difficulty, blocks, at: placesOf(blocks, random.pick(fitting)) };
    }
  },
  // Slid blocks are the same board.
  nameOf: ({ blocks, at }) => lanesOf(blocks, at),
  wordings: {
    en: [
      'slide the blocks until the key can leave through the gate',
      'free the key: drag blocks along their lanes',
      'drag blocks out of the way and bring the key to the exit on the right',
      'get the key out; blocks only move the way they lie',
    ],
    zh: ['拖动方块，让钥匙从右边出口离开', '移开挡路的方块，把钥匙拖到出口', '解救钥匙：方块只能沿自己的方向滑动'],
  },
  maxMoves: 40,
});

/** Places up to `count` blocks, the key first. */
function scattered(random: Random, count: number): { blocks: Block[]; blockPlaces: number[] } {
  const blocks: Block[] = [{ isUpright: false, lane: gateRow, length: 2 }];
  const blockPlaces = [random.between(0, 2)];
  const taken = new Set(cellsOf(blocks[0]!, blockPlaces[0]!));
  for (let tries = 0; tries < 60 && blocks.length < count; tries++) {
    const isUpright = random.chance(0.55);
    const block = { isUpright, lane: random.between(0, sideOfBoard - 1), length: random.chance(0.3) ? 3 : 2 };
    const place = random.between(0, sideOfBoard - block.length);
    // It would never let the key out.
    if (!isUpright && block.lane === gateRow) continue;
    const cells = cellsOf(block, place);
    if (cells.some((cell) => taken.has(cell))) continue;
    for (const cell of cells) taken.add(cell);
    blocks.push(block);
    blockPlaces.push(place);
  }
  return { blocks, blockPlaces };
}

function lanesOf(blocks: readonly Block[], blockPlaces: readonly number[]): string {
  const inOrder = blocks.map((block, index) => ({ ...block, at: blockPlaces[index] ?? 0 })).sort((a, b) => a.at - b.at);
  const lanes = new Map<string, string>();
  for (const { isUpright, lane, length } of inOrder) {
    const name = `${isUpright ? 'v' : 'h'}${lane}`;
    lanes.set(name, `${lanes.get(name) ?? name}-${length}`);
  }
  return [...lanes.values()].sort().join('/');
}
