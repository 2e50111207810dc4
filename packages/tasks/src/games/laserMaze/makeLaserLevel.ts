import type { Random } from '../../family/random.js';
import { movesToWin } from '../solving/movesToWin.js';
import { type Side, beside, sides } from '../rules/sides.js';
import { beamOf, reflect } from './beam.js';
import type { Face, LaserLevel, Mirror } from './level.js';
import { laserMaze, litCrystals, nextFace } from './rules.js';

export interface LaserPlan {
  readonly columns: number;
  readonly rows: number;
  /** Mirrors on the beam, and splitters among them. */
  readonly onWay: readonly [number, number];
  readonly splitters: number;
  readonly crystals: number;
  readonly beside: number;
  readonly walls: number;
  readonly clicks: readonly [number, number];
}

/** Makes a level along a random beam; undefined if it is too easy or too long. */
export function makeLaserLevel(random: Random, difficulty: number, plan: LaserPlan): LaserLevel | undefined {
  const { columns, rows } = plan;
  const plane = { columns, rows };
  const laser = laserAtEdge(random, columns, rows);
  const mirrors: Mirror[] = [];
  const solved: Face[] = [];
  /** The beam crosses them, so they must stay empty. */
  const isLit = new Set<number>();
  const isMirror = new Set<number>();
  const legs: number[][] = [];
  const mirrorCount = random.between(plan.onWay[0], plan.onWay[1]);
  const branches: { place: number; side: Side }[] = [laser];
  for (let branch = branches.shift(); branch; branch = branches.shift()) {
    let { place, side } = branch;
    const isLast = branches.length === 0;
    // Every branch but the last gets a share of the mirrors.
    const mirrorLimit = isLast
      ? mirrorCount
      : mirrors.length + Math.ceil((mirrorCount - mirrors.length) / (branches.length + 2));
    for (;;) {
      const ahead: number[] = [];
      for (let next = beside(plane, place, side); next !== undefined; next = beside(plane, next, side)) {
        if (isMirror.has(next) || next === laser.place) break;
        ahead.push(next);
      }
      const stops = ahead.filter((stop, index) => index > 0 && !isLit.has(stop));
      const stop = mirrors.length < mirrorLimit && stops.length > 0 ? random.pick(stops) : undefined;
      const leg = stop === undefined ? ahead : ahead.slice(0, ahead.indexOf(stop));
      for (const passed of leg) isLit.add(passed);
      legs.push(leg);
      if (stop === undefined) break;
      const face = random.chance(0.5) ? 1 : 2;
      const splits = mirrors.filter(({ kind }) => kind === 'splitter').length < plan.splitters && random.chance(0.45);
      const kind = splits ? 'splitter' : random.chance(difficulty > 1 ? 0.5 : 0) ? 'socket' : 'mirror';
      mirrors.push({ place: stop, kind });
      solved.push(face);
      isMirror.add(stop);
      if (splits) branches.push({ place: stop, side });
      [place, side] = [stop, reflect(face, side)];
    }
  }
  if (mirrors.length < plan.onWay[0]) return undefined;
  if (mirrors.filter(({ kind }) => kind === 'splitter').length < plan.splitters) return undefined;

  const crystals = crystalsOn(random, legs, plan.crystals);
  if (!crystals) return undefined;
  const free = random.shuffle(
    [...Array(columns * rows).keys()].filter((at) => at !== laser.place && !isLit.has(at) && !isMirror.has(at)),
  );
  const walls = free.splice(0, plan.walls).sort((a, b) => a - b);
  for (const place of free.splice(0, plan.beside)) {
    mirrors.push({ place, kind: random.chance(0.5) ? 'socket' : 'mirror' });
    solved.push(random.chance(0.5) ? 1 : 2);
  }
  const faces = mirrors.map((mirror, index) => {
    const once = nextFace(mirror, solved[index] ?? 1);
    return mirror.kind === 'socket' && random.chance(0.5) ? nextFace(mirror, once) : once;
  });
  const level = { difficulty, columns, rows, laser, walls, crystals, mirrors, faces, solved };
  return isFit(level, plan) ? level : undefined;
}

function laserAtEdge(random: Random, columns: number, rows: number): { place: number; side: Side } {
  const side = random.pick(sides);
  const [column, row] = [random.between(0, columns - 1), random.between(0, rows - 1)];
  const edge = { 1: [column, rows - 1], 2: [0, row], 4: [column, 0], 8: [columns - 1, row] }[side];
  return { place: (edge[1] ?? 0) * columns + (edge[0] ?? 0), side };
}

/** Places crystals where the beam passes once, one of them on the last segment; undefined if there are too few. */
function crystalsOn(random: Random, legs: readonly (readonly number[])[], count: number): number[] | undefined {
  const passes = legs.flat();
  const once = (leg: readonly number[]) => leg.filter((at) => passes.indexOf(at) === passes.lastIndexOf(at));
  const [last, ...others] = [...legs].reverse().map(once);
  if (!last || last.length === 0) return undefined;
  const chosen = [random.pick(last)];
  for (const leg of random.shuffle(others.filter(({ length }) => length > 0)).slice(0, count - 1)) {
    chosen.push(random.pick(leg));
  }
  return chosen.length === count ? chosen.sort((a, b) => a - b) : undefined;
}

/** Requires every splitter, a start less than half solved, and a suitable number of clicks. */
function isFit(level: LaserLevel, plan: LaserPlan): boolean {
  const { crystals, solved, faces, mirrors } = level;
  if (litCrystals(level, solved).length < crystals.length) return false;
  if (litCrystals(level, faces).length * 2 > crystals.length) return false;
  // Without its straight branch, some crystal must stay dark.
  for (const [index, { kind }] of mirrors.entries()) {
    if (kind !== 'splitter') continue;
    const plain = mirrors.map((mirror, at) => (at === index ? ({ ...mirror, kind: 'mirror' } as const) : mirror));
    const hit = new Set(beamOf({ ...level, mirrors: plain }, solved).map(({ to }) => to));
    if (crystals.every((crystal) => hit.has(crystal))) return false;
  }
  // The crystals may be lit before every mirror is set.
  return (movesToWin(laserMaze, level, plan.clicks[1]) ?? 0) >= plan.clicks[0];
}
