import { type Side, beside } from '../rules/sides.js';
import type { Face, LaserLevel } from './level.js';

/** The light from the middle of a place to one of its sides and, where nothing is in its way, on to the middle of the next place. */
export interface Ray {
  readonly from: number;
  readonly side: Side;
  /** Absent where the light ends at a wall or at the edge. */
  readonly to?: number;
}

/** Where light goes on to that comes to a mirror on its way to a side. */
const reflected: Readonly<Record<1 | 2, Readonly<Record<Side, Side>>>> = {
  1: { 1: 2, 2: 1, 4: 8, 8: 4 },
  2: { 1: 8, 8: 1, 2: 4, 4: 2 },
};

/** All the light, along each branch to its end before the next. */
export function beamOf(level: Omit<LaserLevel, 'solved' | 'faces' | 'difficulty'>, faces: readonly Face[]): Ray[] {
  const mirrorAt = new Map(
    level.mirrors.map((mirror, index) => [mirror.place, { ...mirror, face: faces[index] ?? 0 }]),
  );
  const isDark = new Set([...level.walls, level.laser.place]);
  const rays: Ray[] = [];
  const seen = new Set<number>();
  const ways: { place: number; side: Side }[] = [level.laser];
  for (let way = ways.pop(); way; way = ways.pop()) {
    const { place, side } = way;
    // Light may come back to where it was on its way to the same side; it then goes on as before.
    if (seen.has(place * 16 + side)) continue;
    seen.add(place * 16 + side);
    const to = beside(level, place, side);
    if (to === undefined || isDark.has(to)) {
      rays.push({ from: place, side });
      continue;
    }
    rays.push({ from: place, side, to });
    const mirror = mirrorAt.get(to);
    if (!mirror || mirror.face === 0) {
      ways.push({ place: to, side });
      continue;
    }
    if (mirror.kind === 'splitter') ways.push({ place: to, side });
    ways.push({ place: to, side: reflected[mirror.face][side] });
  }
  return rays;
}

/** The way of light that comes on its way to a side, behind a mirror. */
export const reflect = (face: 1 | 2, side: Side): Side => reflected[face][side];
