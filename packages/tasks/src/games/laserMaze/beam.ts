import { type Side, beside } from '../rules/sides.js';
import type { Face, LaserLevel } from './level.js';

/** Light from a cell's centre to a side and, if unblocked, to the next centre. */
export interface Ray {
  readonly from: number;
  readonly side: Side;
  /** Absent if the light ends. */
  readonly to?: number;
}

/** By mirror face and incoming direction. */
const reflected: Readonly<Record<1 | 2, Readonly<Record<Side, Side>>>> = {
  1: { 1: 2, 2: 1, 4: 8, 8: 4 },
  2: { 1: 8, 8: 1, 2: 4, 4: 2 },
};

/** Traces the light, each branch to its end. */
export function beamOf(level: Omit<LaserLevel, 'solved' | 'faces' | 'difficulty'>, faces: readonly Face[]): Ray[] {
  const mirrorAt = new Map(
    level.mirrors.map((mirror, index) => [mirror.place, { ...mirror, face: faces[index] ?? 0 }]),
  );
  const isDark = new Set([...level.walls, level.laser.place]);
  const rays: Ray[] = [];
  const seen = new Set<number>();
  const ways: { place: number; side: Side }[] = [level.laser];
  for (let head = ways.pop(); head; head = ways.pop()) {
    const { place, side } = head;
    // Beams may form loops.
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

export const reflect = (face: 1 | 2, side: Side): Side => reflected[face][side];
