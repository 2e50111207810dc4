import type { Random } from '../../family/random.js';
import { gameFamily } from '../gameFamily.js';
import { type Plane, beside, opposite } from '../rules/sides.js';
import { mazePathOfLight } from './rules.js';
import { wanderingPath } from './wanderingPath.js';

/** `walls`: share off the path. */
const plans = [
  { columns: 5, rows: 4, length: [7, 10], lights: 2, walls: 0.6 },
  { columns: 6, rows: 4, length: [12, 16], lights: 3, walls: 0.6 },
  { columns: 7, rows: 5, length: [20, 26], lights: 5, walls: 0.55 },
  { columns: 8, rows: 5, length: [28, 34], lights: 7, walls: 0.5 },
  { columns: 9, rows: 6, length: [42, 50], lights: 10, walls: 0.45 },
] as const;

export const mazePathOfLightFamily = gameFamily({
  game: mazePathOfLight,
  description: 'Draw a path through a maze over every light to the goal, without crossing itself.',
  level(random, difficulty) {
    const { columns, rows, length, lights: count, walls } = plans[difficulty - 1] ?? plans[0];
    const whole = wanderingPath(random, { columns, rows });
    const places = random.between(length[0], length[1]);
    const first = random.between(0, whole.length - places);
    const path = whole.slice(first, first + places);
    const [start, goal] = [path[0] ?? 0, path.at(-1) ?? 0];
    const lights = lightsOn(random, path, count);
    return {
      difficulty,
      columns,
      rows,
      open: openSides(random, { columns, rows }, path, walls),
      start,
      goal,
      lights,
      path,
    };
  },
  wordings: {
    en: [
      'draw a path over every light to the flag; drag or use the arrow keys',
      'drag the light from its start over all stars to the flag without crossing your path',
      'collect every light with the arrow keys or by dragging, then reach the flag; the path may not cross itself',
      'find the path of light by keys or drags: all lights first, then the flag',
    ],
    zh: [
      '画一条路，经过所有灯，走到终点',
      '拖动或用方向键，点亮全部灯后到达旗子',
      '拖动光点经过每一盏灯，路线不能交叉，最后到旗子',
    ],
  },
  maxMoves: 60,
});

/** Spreads lights over a path, except at its ends. */
function lightsOn(random: Random, path: readonly number[], count: number): number[] {
  const share = (path.length - 2) / count;
  const lights = Array.from({ length: count }, (_, index) => {
    const [first, last] = [Math.ceil(index * share), Math.ceil((index + 1) * share) - 1];
    return path[1 + random.between(first, Math.max(first, last))] ?? 0;
  });
  return lights.sort((a, b) => a - b);
}

/** Opens the path's sides and a random share of the others. */
function openSides(random: Random, plane: Plane, path: readonly number[], share: number): number[] {
  const order = new Map(path.map((place, index) => [place, index]));
  const isStep = (a: number, b: number) => Math.abs((order.get(a) ?? -9) - (order.get(b) ?? 99)) === 1;
  const open = new Array<number>(plane.columns * plane.rows).fill(0);
  for (const place of open.keys()) {
    for (const side of [2, 4] as const) {
      const neighbour = beside(plane, place, side);
      if (neighbour === undefined || (!isStep(place, neighbour) && random.chance(share))) continue;
      open[place] = (open[place] ?? 0) | side;
      open[neighbour] = (open[neighbour] ?? 0) | opposite(side);
    }
  }
  return open;
}
