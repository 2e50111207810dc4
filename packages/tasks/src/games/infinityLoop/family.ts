import type { Random } from '../../family/random.js';
import { gameFamily } from '../gameFamily.js';
import { kindOf, rotateRandomly } from '../rules/pipeNet.js';
import { type Plane, beside, opposite } from '../rules/sides.js';
import { fewestTurns } from './fewestTurns.js';
import { infinityLoop } from './rules.js';

/** `turned`: maximum. */
const plans = [
  { columns: 3, rows: 3, turned: 4, clicks: [3, 8] },
  { columns: 4, rows: 3, turned: 8, clicks: [7, 14] },
  { columns: 5, rows: 4, turned: 14, clicks: [13, 22] },
  { columns: 6, rows: 5, turned: 24, clicks: [21, 36] },
  { columns: 8, rows: 5, turned: 40, clicks: [34, 56] },
] as const;

export const infinityLoopFamily = gameFamily({
  game: infinityLoop,
  description: 'Rotate pipe tiles until no end is open.',
  level(random, difficulty) {
    const { columns, rows, turned, clicks } = plans[difficulty - 1] ?? plans[0];
    for (;;) {
      const net = closedNet(random, { columns, rows }, 0.6);
      if (net.filter((ends) => ends > 0).length < 0.8 * net.length) continue;
      const places = random.shuffle([...net.keys()]).slice(0, turned);
      const tiles = rotateRandomly(random, net, places);
      const needed = fewestTurns({ columns, rows }, tiles)?.reduce((sum, turns) => sum + turns, 0) ?? 0;
      if (needed >= clicks[0] && needed <= clicks[1]) return { difficulty, columns, rows, tiles };
    }
  },
  // Turned tiles are the same net.
  nameOf: ({ columns, tiles }) => `${columns}/${tiles.map(kindOf).join('.')}`,
  wordings: {
    en: [
      'turn the tiles by clicks until no end is open',
      'click tiles to rotate them; close all loops',
      'rotate the pipes so that every end meets another',
      'leave no loose end: each click turns a tile a quarter',
    ],
    zh: ['点击方块旋转，直到没有开口', '旋转管道，让每个端口都相连', '转动方块，把所有线路闭合'],
  },
  maxMoves: 80,
});

/** Draws a net without open ends. */
function closedNet(random: Random, net: Plane, density: number): number[] {
  const tiles = new Array<number>(net.columns * net.rows).fill(0);
  for (const place of tiles.keys()) {
    for (const side of [2, 4] as const) {
      const neighbour = beside(net, place, side);
      if (neighbour === undefined || !random.chance(density)) continue;
      tiles[place] = (tiles[place] ?? 0) | side;
      tiles[neighbour] = (tiles[neighbour] ?? 0) | opposite(side);
    }
  }
  return tiles;
}
