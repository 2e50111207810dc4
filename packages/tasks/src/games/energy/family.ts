import type { Random } from '../../family/random.js';
import { gameFamily } from '../gameFamily.js';
import { kindOf, rotateRandomly } from '../rules/pipeNet.js';
import { type Plane, beside, opposite, sides } from '../rules/sides.js';
import { energy, turnsToTree } from './rules.js';
import { spanningTree } from './spanningTree.js';

/** `spare`: share of unneeded wires in the remaining cells. */
const plans = [
  { columns: 4, rows: 3, lamps: [2, 2], spare: 0.2, clicks: [3, 8] },
  { columns: 5, rows: 3, lamps: [2, 3], spare: 0.4, clicks: [7, 14] },
  { columns: 6, rows: 4, lamps: [3, 4], spare: 0.6, clicks: [13, 22] },
  { columns: 7, rows: 4, lamps: [4, 6], spare: 0.8, clicks: [20, 32] },
  { columns: 8, rows: 5, lamps: [6, 9], spare: 1, clicks: [30, 52] },
] as const;

export const energyFamily = gameFamily({
  game: energy,
  description: 'Rotate wires until the source powers every lamp.',
  level(random, difficulty) {
    const { columns, rows, lamps: lampRange, spare, clicks } = plans[difficulty - 1] ?? plans[0];
    for (;;) {
      const source = random.between(0, columns * rows - 1);
      const whole = spanningTree(random, { columns, rows }, source);
      const leaves = random.shuffle([...whole.keys()].filter((place) => place !== source && isLeaf(whole[place])));
      const lamps = leaves.slice(0, random.between(lampRange[0], lampRange[1])).sort((a, b) => a - b);
      const tree = pruned(whole, { columns, rows }, [...lamps, source]);
      const wires = withSpare(random, tree, spare, [...lamps, source]);
      const tiles = rotateRandomly(random, wires, wires.keys());
      const needed = turnsToTree({ tiles, tree }).reduce((sum, turns) => sum + turns, 0);
      const level = { difficulty, columns, rows, tiles, source, lamps, tree };
      const { won } = energy.status({ tiles }, level);
      if (!won && lamps.length >= lampRange[0] && needed >= clicks[0] && needed <= clicks[1]) return level;
    }
  },
  // Turned wires are the same circuit.
  nameOf: ({ columns, source, tiles }) => `${columns}/${source}/${tiles.map(kindOf).join('.')}`,
  wordings: {
    en: [
      'turn the wires by clicks until every lamp is lit',
      'bring power from the battery to all lamps; click a tile to turn it',
      'rotate the circuit so that the source feeds each lamp',
      'light every lamp: each click turns a wire a quarter',
    ],
    zh: ['点击方块旋转电线，点亮所有灯泡', '让电源接通每一盏灯', '旋转电路，把电送到全部灯泡'],
  },
  maxMoves: 80,
});

const isLeaf = (ends = 0) => (ends & (ends - 1)) === 0;

function pruned(tree: readonly number[], net: Plane, fixedPlaces: readonly number[]): number[] {
  const after = [...tree];
  const idle = () =>
    [...after.keys()].find((place) => after[place] && isLeaf(after[place]) && !fixedPlaces.includes(place));
  for (let place = idle(); place !== undefined; place = idle()) {
    const side = sides.find((end) => after[place] === end) ?? 1;
    const neighbour = beside(net, place, side) ?? place;
    after[place] = 0;
    after[neighbour] = (after[neighbour] ?? 0) & ~opposite(side);
  }
  return after;
}

/** Adds unneeded wires and occasional extra ends. */
function withSpare(random: Random, tree: readonly number[], share: number, fixedPlaces: readonly number[]): number[] {
  return tree.map((ends, place) => {
    if (ends === 0) return random.chance(share) ? random.pick([3, 3, 5, 7]) : 0;
    return !fixedPlaces.includes(place) && random.chance(share * 0.15) ? ends | random.pick(sides) : ends;
  });
}
