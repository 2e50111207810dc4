import { hexFrvr, hexLattice } from './rules.js';
import { makeFillLevel } from '../filling/level.js';
import { gameFamily } from '../gameFamily.js';

const small = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const medium = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
const large = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];

const plans = [
  { side: 3, goal: 3, shapes: small, begun: 2 },
  { side: 4, goal: 4, shapes: small, begun: 2 },
  { side: 4, goal: 6, shapes: [...small, ...medium], begun: 2 },
  { side: 5, goal: 9, shapes: medium, begun: 3 },
  { side: 5, goal: 14, shapes: [...medium, ...large], begun: 3 },
] as const;

export const hexFrvrFamily = gameFamily({
  game: hexFrvr,
  description: 'Drag hexagon pieces onto a hexagonal board to clear the requested number of full lines.',
  level(random, difficulty) {
    const plan = plans[difficulty - 1] ?? plans[0];
    return makeFillLevel(random, difficulty, hexLattice(plan.side), plan);
  },
  nameOf: ({ seed }) => String(seed),
  wordings: {
    en: [
      'fill {goal} lines of the hexagon board by dragging pieces onto it',
      'drag pieces from the right onto the board until {goal} lines, in any of the three directions, have vanished',
      'make {goal} full lines with the pieces from the tray',
      'place the hexagon pieces so that {goal} rows fill up and disappear',
      'clear {goal} lines: drag the pieces at the right onto free hexagons',
    ],
    zh: [
      '把右边的拼块拖到六边形棋盘上,消除 {goal} 条线',
      '拖动拼块填满并消除 {goal} 行',
      '用右侧的拼块凑满 {goal} 条直线',
    ],
  },
  texts: ({ goal }) => ({ goal: String(goal) }),
  maxMoves: 80,
});
