import type { Game } from '../game.js';
import { type Plane, type Side, beside, sides } from '../rules/sides.js';

/** A path to draw through a maze from its start over every light to its goal, which does not cross itself. */
export interface PathLevel extends Plane {
  readonly difficulty: number;
  /** The open sides of each place. */
  readonly open: readonly number[];
  readonly start: number;
  /** It lets the path in when all lights are on it. */
  readonly goal: number;
  readonly lights: readonly number[];
  /** A path that does it. */
  readonly path: readonly number[];
}

export interface PathState {
  /** The places of the path so far, the first the start, the last its head. */
  readonly trail: readonly number[];
}

/** A place: the path goes straight on to it, or back to it where it is on the path. */
export type PathMove = number;

export const mazePathOfLight: Game<PathLevel, PathState, PathMove> = {
  name: 'mazePathOfLight',
  version: 1,
  start: ({ start }) => ({ trail: [start] }),
  move(state, to, level) {
    const { trail } = state;
    const back = trail.indexOf(to);
    if (back >= 0) return back === trail.length - 1 ? state : { trail: trail.slice(0, back + 1) };
    const way = straightTo(level, trail, to);
    return way ? { trail: [...trail, ...way] } : state;
  },
  standing({ trail }, { lights, goal }) {
    const lit = lights.filter((light) => trail.includes(light)).length;
    const won = trail.at(-1) === goal;
    return { score: lit, progress: (lit + (won ? 1 : 0)) / (lights.length + 1), won, over: won, lives: 1 };
  },
  /** On along the known path; where the trail has left it, back to where it did. */
  hint({ trail }, { path, columns }) {
    const common = trail.findIndex((place, index) => place !== path[index]);
    if (common > 0) return path[common - 1];
    const head = trail.length - 1;
    const step = (path[head + 1] ?? -1) - (path[head] ?? -1);
    if (Math.abs(step) !== 1 && Math.abs(step) !== columns) return undefined;
    let last = head + 1;
    while (path[last + 1] === (path[last] ?? -1) + step) last++;
    return path[last];
  },
};

/** The places after the trail's head up to one in a straight line from it; undefined where the path may not go there. */
export function straightTo(level: PathLevel, trail: readonly number[], to: number): number[] | undefined {
  const ways = sides.map((side) => freeWay(level, trail, side));
  const way = ways.find((places) => places.includes(to));
  return way?.slice(0, way.indexOf(to) + 1);
}

/** How far the path can go to a side, as places. */
export function freeWay(level: PathLevel, trail: readonly number[], side: Side): number[] {
  const way: number[] = [];
  for (let next = stepFrom(level, trail, way, side); next !== undefined; next = stepFrom(level, trail, way, side)) {
    way.push(next);
  }
  return way;
}

/** The place at a side of the trail and a way that goes on from it; undefined where the path may not go there. */
function stepFrom(level: PathLevel, trail: readonly number[], way: readonly number[], side: Side): number | undefined {
  const head = way.at(-1) ?? trail.at(-1) ?? level.start;
  if (head === level.goal || !((level.open[head] ?? 0) & side)) return undefined;
  const next = beside(level, head, side);
  if (next === undefined || trail.includes(next)) return undefined;
  const isOpen = next !== level.goal || level.lights.every((light) => trail.includes(light) || way.includes(light));
  return isOpen ? next : undefined;
}
