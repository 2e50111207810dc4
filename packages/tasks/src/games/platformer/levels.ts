import type { Random } from '../../family/random.js';
import type { LevelPlatformer } from './rules.js';
import { type Cell, type Slime, tile } from './world.js';

/** Built from left to right. */
interface Layout {
  readonly ground: number[];
  readonly blocks: Cell[];
  readonly coins: Cell[];
  readonly slimes: Slime[];
  readonly rests: number[];
  height: number;
}

type Part = (layout: Layout, random: Random) => void;

/** Obstacles by minimum difficulty. */
const parts: readonly { readonly from: number; readonly part: Part }[] = [
  { from: 1, part: pit },
  { from: 1, part: hurdle },
  { from: 2, part: slime },
  { from: 2, part: stairs },
  { from: 3, part: wall },
  { from: 3, part: slime },
  { from: 4, part: bridge },
  { from: 4, part: pit },
];

/** Obstacles by difficulty. */
const counts = [1, 2, 4, 6, 9];

export function drawPlatformer(random: Random, difficulty: number): LevelPlatformer {
  const layout: Layout = { ground: [], blocks: [], coins: [], slimes: [], rests: [], height: random.between(1, 3) };
  flat(layout, 3);
  const fitting = parts.filter(({ from }) => from <= difficulty);
  for (let count = counts[difficulty - 1] ?? 1; count > 0; count--) {
    layout.rests.push(layout.ground.length - 1);
    random.pick(fitting).part(layout, random);
    flat(layout, random.between(1, 2));
  }
  const flag = layout.ground.length + 1;
  flat(layout, 4);
  const { ground, blocks, coins, slimes, rests } = layout;
  return { difficulty, ground, blocks, coins, slimes, rests, flag };
}

function flat({ ground, height }: Layout, length: number): void {
  for (let column = 0; column < length; column++) ground.push(height);
}

/** Heights are in tiles above the ground. */
function coins(layout: Layout, first: number, heights: readonly number[]): void {
  for (const [index, up] of heights.entries()) {
    layout.coins.push({ column: layout.ground.length + first + index, row: layout.height + up });
  }
}

function pit(layout: Layout, random: Random): void {
  const width = random.between(2, 3);
  coins(layout, 0, width === 2 ? [2, 2] : [1, 2, 1]);
  for (let column = 0; column < width; column++) layout.ground.push(0);
  layout.height = Math.max(1, Math.min(4, layout.height + random.between(-1, 1)));
  flat(layout, 1);
}

function hurdle(layout: Layout, random: Random): void {
  flat(layout, 1);
  const up = random.between(1, 2);
  coins(layout, 0, [up + 1]);
  layout.ground.push(layout.height + up);
  flat(layout, 1);
}

function slime(layout: Layout, random: Random): void {
  const first = layout.ground.length;
  const length = random.between(4, 6);
  if (random.chance(0.5)) coins(layout, 1, random.chance(0.5) ? [0, 0] : [2, 2]);
  flat(layout, length);
  const [from, to] = [(first + 1) * tile, (first + length) * tile - tile / 2];
  layout.slimes.push({ from, to, at: random.between(0, 2 * (to - from) - 1), row: layout.height });
  flat(layout, 1);
}

function stairs(layout: Layout, random: Random): void {
  const slope = layout.height >= 3 ? -1 : layout.height <= 1 ? 1 : random.pick([-1, 1]);
  for (let step = random.between(1, 2); step > 0; step--) {
    layout.height = Math.max(1, Math.min(4, layout.height + slope));
    flat(layout, 2);
  }
  coins(layout, -1, [0]);
}

function wall(layout: Layout, random: Random): void {
  flat(layout, 1);
  const width = random.between(2, 3);
  coins(layout, 0, new Array<number>(width).fill(2));
  for (let column = 0; column < width; column++) layout.ground.push(layout.height + 2);
  flat(layout, 1);
}

function bridge(layout: Layout, random: Random): void {
  const [before, length, after] = [random.between(2, 3), random.between(2, 3), 2];
  const first = layout.ground.length;
  const row = Math.max(0, layout.height - 1 + random.between(0, 1));
  for (let column = 0; column < length; column++) {
    layout.blocks.push({ column: first + before + column, row });
    if (column > 0) layout.coins.push({ column: first + before + column, row: row + 1 });
  }
  for (let column = 0; column < before + length + after; column++) layout.ground.push(0);
}
