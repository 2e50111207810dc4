import { type CubeLevel, type CubeState, placeAfter } from './board.js';
import { type Way, afterRoll, turns, ways } from './cube.js';

/** Finds a shortest solution by breadth-first search over place, orientation and lit goals. */
export function solveCubinko(state: CubeState, level: CubeLevel): Way[] | undefined {
  const { tiles, faces, goals } = level;
  const places = tiles.length;
  const allLit = (1 << goals.length) - 1;
  const next = tiles.map((_, place) => ways.map((way) => placeAfter(level, place, way) ?? -1));
  /** Goal bit by place and bottom colour. */
  const lights = new Int32Array(places * 6);
  for (const [index, { place, colour }] of goals.entries()) lights[place * 6 + colour] = 1 << index;
  const bottoms = turns.map((sides) => faces[sides[0] ?? 0] ?? 0);
  const from = new Int32Array((allLit + 1) * places * 24).fill(-1);
  const code = (lit: number, place: number, turn: number) => (lit * places + place) * 24 + turn;
  const start = code(
    state.lit.reduce((bits, goal) => bits | (1 << goal), 0),
    state.at,
    state.turn,
  );
  const queue = [start];
  from[start] = start;
  for (const now of queue) {
    const turn = now % 24;
    const place = Math.floor(now / 24) % places;
    const lit = Math.floor(now / (24 * places));
    if (lit === allLit) return trace(now);
    for (let direction = 0; direction < 4; direction++) {
      const to = next[place]?.[direction] ?? -1;
      if (to < 0) continue;
      const turned = afterRoll[turn]?.[direction] ?? 0;
      const after = code(lit | (lights[to * 6 + (bottoms[turned] ?? 0)] ?? 0), to, turned);
      if (from[after] !== -1) continue;
      from[after] = now;
      queue.push(after);
    }
  }
  return undefined;

  function trace(end: number): Way[] {
    const path: Way[] = [];
    for (let now = end; now !== start; now = from[now] ?? start) {
      const [place, before] = [Math.floor(now / 24) % places, Math.floor((from[now] ?? start) / 24) % places];
      const direction = ways[next[before]?.indexOf(place) ?? -1];
      if (direction) path.push(direction);
    }
    return path.reverse();
  }
}
