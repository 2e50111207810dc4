import type { Game } from '../game.js';
import { type Plane, type Side, beside, sides } from '../rules/sides.js';

/** Draw a path over every light to the goal, without crossing itself. */
export interface PathLevel extends Plane {
  readonly difficulty: number;
  /** Bits of `sides` per cell. */
  readonly open: readonly number[];
  readonly start: number;
  /** Opens once all lights are on the path. */
  readonly goal: number;
  readonly lights: readonly number[];
  readonly path: readonly number[];
}

export interface PathState {
  /** From the start to the head. */
  readonly trail: readonly number[];
}

/** Extends the path straight to a cell, or cuts it back there. */
export type PathMove = number;

export const mazePathOfLight: Game<PathLevel, PathState, PathMove> = {
  name: 'mazePathOfLight',
  version: 1,
  start: ({ start }) => ({ trail: [start] }),
  move(state, to, level) {
    const { trail } = state;
    const back = trail.indexOf(to);
    if (back >= 0) return back === trail.length - 1 ? state : { trail: trail.slice(0, back + 1) };
    const extension = straightTo(level, trail, to);
    return extension ? { trail: [...trail, ...extension] } : state;
  },
  status({ trail }, { lights, goal }) {
    const lit = lights.filter((light) => trail.includes(light)).length;
    const won = trail.at(-1) === goal;
    return { score: lit, progress: (lit + (won ? 1 : 0)) / (lights.length + 1), won, over: won, lives: 1 };
  },
  /** Follows the known solution, or returns to it. */
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

export function straightTo(level: PathLevel, trail: readonly number[], to: number): number[] | undefined {
  const ways = sides.map((side) => freeWay(level, trail, side));
  const line = ways.find((places) => places.includes(to));
  return line?.slice(0, line.indexOf(to) + 1);
}

/** Returns the free cells to a side. */
export function freeWay(level: PathLevel, trail: readonly number[], side: Side): number[] {
  const line: number[] = [];
  for (let next = stepFrom(level, trail, line, side); next !== undefined; next = stepFrom(level, trail, line, side)) {
    line.push(next);
  }
  return line;
}

/** Returns undefined if blocked. */
function stepFrom(level: PathLevel, trail: readonly number[], line: readonly number[], side: Side): number | undefined {
  const head = line.at(-1) ?? trail.at(-1) ?? level.start;
  if (head === level.goal || !((level.open[head] ?? 0) & side)) return undefined;
  const next = beside(level, head, side);
  if (next === undefined || trail.includes(next)) return undefined;
  const isOpen = next !== level.goal || level.lights.every((light) => trail.includes(light) || line.includes(light));
  return isOpen ? next : undefined;
}
