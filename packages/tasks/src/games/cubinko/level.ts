import type { CubeLevel } from './board.js';
import { solveCubinko } from './solver.js';
import type { Random } from '../../family/random.js';

const plans = [
  { columns: 3, rows: 3, goals: 1, holes: 0, minMoves: 2, maxMoves: 4 },
  { columns: 4, rows: 3, goals: 2, holes: 1, minMoves: 5, maxMoves: 9 },
  { columns: 4, rows: 4, goals: 2, holes: 2, minMoves: 9, maxMoves: 14 },
  { columns: 5, rows: 4, goals: 3, holes: 3, minMoves: 13, maxMoves: 20 },
  { columns: 5, rows: 5, goals: 4, holes: 5, minMoves: 20, maxMoves: 32 },
] as const;

/** Makes a level whose solution length suits the difficulty. */
export function makeCubeLevel(random: Random, difficulty: number): CubeLevel {
  const plan = plans[difficulty - 1] ?? plans[0];
  for (;;) {
    const { columns, rows } = plan;
    const order = random.shuffle(Array.from({ length: columns * rows }, (_, place) => place));
    const holes = new Set(order.slice(0, plan.holes));
    const [start = 0, ...free] = order.slice(plan.holes);
    const level: CubeLevel = {
      difficulty,
      columns,
      rows,
      tiles: Array.from({ length: columns * rows }, (_, place) => !holes.has(place)),
      start,
      faces: random.shuffle([0, 1, 2, 3, 4, 5]),
      goals: free.slice(0, plan.goals).map((place) => ({ place, colour: random.between(0, 5) })),
    };
    const length = solveCubinko({ at: start, turn: 0, lit: [] }, level)?.length ?? 0;
    if (length >= plan.minMoves && length <= plan.maxMoves) return level;
  }
}
