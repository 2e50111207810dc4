import { woodBlocks3d, woodLattice } from './rules.js';
import { makeFillLevel } from '../filling/level.js';
import { gameFamily } from '../gameFamily.js';

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

const plans = [
  { side: 8, goal: 2, shapes: range(0, 5), begun: 3 },
  { side: 8, goal: 4, shapes: range(0, 9), begun: 3 },
  { side: 8, goal: 6, shapes: range(1, 15), begun: 2 },
  { side: 8, goal: 9, shapes: range(3, 21), begun: 2 },
  { side: 8, goal: 12, shapes: range(3, 30), begun: 1 },
] as const;

export const woodBlocks3dFamily = gameFamily({
  game: woodBlocks3d,
  description: 'Drag wooden pieces onto a square board to clear the requested number of full rows and columns.',
  level(random, difficulty) {
    const plan = plans[difficulty - 1] ?? plans[0];
    return makeFillLevel(random, difficulty, woodLattice(plan.side), plan);
  },
  nameOf: ({ seed }) => String(seed),
  wordings: {
    en: [
      'fill {goal} rows or columns by dragging the wooden blocks onto the board',
      'drag the pieces at the right onto the board until {goal} full rows or columns have vanished',
      'clear {goal} lines with the wooden blocks',
      'place blocks so that {goal} rows or columns get full and disappear',
      'make {goal} full rows or columns out of the pieces of the tray',
    ],
    zh: [
      '把右边的木块拖到棋盘上,消除 {goal} 行或列',
      '拖动木块填满整行或整列,共消除 {goal} 条',
      '用木块凑满 {goal} 行或列',
    ],
  },
  texts: ({ goal }) => ({ goal: String(goal) }),
  maxMoves: 80,
});
