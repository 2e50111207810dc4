import type { Random } from '../family/random.js';

export const mazeSide = 4;

/** Offsets to the adjacent tiles, in bit order: up, right, down, left. */
const steps = [-mazeSide, 1, mazeSide, -1] as const;

/** Bits of each tile's open sides, row by row: 1 up, 2 right, 4 down, 8 left. */
export type Openings = readonly number[];

/** Names a maze's walls by 16 hexadecimal digits. */
export const wallsName = (openings: Openings): string => openings.map((bits) => bits.toString(16)).join('');

/** Draws a depth-first spanning tree with 3 to 6 of the 9 other walls opened. */
export function drawOpenings(random: Random): Openings {
  const openings = new Array<number>(mazeSide * mazeSide).fill(0);
  const open = (tile: number, direction: number) => {
    const adjacent = neighbour(tile, direction) ?? tile;
    openings[tile] = (openings[tile] ?? 0) | (1 << direction);
    openings[adjacent] = (openings[adjacent] ?? 0) | (1 << (direction ^ 2));
  };
  const visited = new Set<number>();
  const visit = (tile: number) => {
    visited.add(tile);
    for (const direction of random.shuffle([0, 1, 2, 3])) {
      const next = neighbour(tile, direction);
      if (next === undefined || visited.has(next)) continue;
      open(tile, direction);
      visit(next);
    }
  };
  visit(random.between(0, openings.length - 1));
  // Only right and down, so that each wall is listed once.
  const walls = openings.flatMap((bits, tile) =>
    [1, 2]
      .filter((direction) => neighbour(tile, direction) !== undefined && !(bits & (1 << direction)))
      .map((direction) => [tile, direction] as const),
  );
  for (const [tile, direction] of random.shuffle(walls).slice(0, random.between(3, 6))) open(tile, direction);
  return openings;
}

export function neighbour(tile: number, direction: number): number | undefined {
  const column = tile % mazeSide;
  if ((direction === 1 && column === mazeSide - 1) || (direction === 3 && column === 0)) return undefined;
  const next = tile + (steps[direction] ?? 0);
  return next < 0 || next >= mazeSide * mazeSide ? undefined : next;
}

export function distancesTo(goal: number, openings: Openings): number[] {
  const distances = new Array<number>(openings.length).fill(Infinity);
  distances[goal] = 0;
  const queue = [goal];
  for (const tile of queue) {
    for (let direction = 0; direction < 4; direction++) {
      const next = through(openings, tile, direction);
      if (next === undefined || distances[next] !== Infinity) continue;
      distances[next] = (distances[tile] ?? 0) + 1;
      queue.push(next);
    }
  }
  return distances;
}

function through(openings: Openings, tile: number, direction: number): number | undefined {
  return (openings[tile] ?? 0) & (1 << direction) ? neighbour(tile, direction) : undefined;
}

/** Returns a shortest path as letters: U up, R right, D down, L left. */
export function shortestPath(from: number, to: number, openings: Openings): string {
  const distances = distancesTo(to, openings);
  let letters = '';
  for (let tile = from; tile !== to;) {
    const moves = [...'URDL'].map((letter, direction) => ({ letter, next: through(openings, tile, direction) }));
    const closer = moves.find(({ next = -1 }) => distances[next] === (distances[tile] ?? 0) - 1);
    if (closer?.next === undefined) throw new Error(`there is no path from tile ${from} to ${to}`);
    letters += closer.letter;
    tile = closer.next;
  }
  return letters;
}
