import type { Lattice } from './lattice.js';
import type { FillLevel } from './rules.js';
import type { Random } from '../../family/random.js';

export interface FillPlan {
  readonly side: number;
  readonly goal: number;
  readonly shapes: readonly number[];
  readonly begun: number;
}

/** Makes a level in which some lines lack one to three cells. */
export function makeFillLevel(random: Random, difficulty: number, lattice: Lattice, plan: FillPlan): FillLevel {
  const { side, goal, shapes, begun } = plan;
  const cells = new Array<number>(lattice.cells.length).fill(0);
  const lines = random.shuffle(lattice.lines.filter((line) => line.length >= side)).slice(0, begun);
  for (const line of lines) for (const place of line) cells[place] = 1 + random.pick(shapes);
  for (const line of lines) {
    const start = random.between(0, line.length - 1);
    const lacking = random.between(1, 3);
    for (const place of line.slice(start, start + lacking)) cells[place] = 0;
  }
  // Crossing lines must not be full either.
  for (const line of lattice.lines) {
    if (line.every((place) => cells[place] !== 0)) cells[random.pick(line)] = 0;
  }
  return { difficulty, side, cells, goal, shapes, seed: random.between(0, 2 ** 31 - 1) };
}
