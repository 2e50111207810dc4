import type { Random } from '../../family/random.js';
import { gameFamily, defaultScreen } from '../gameFamily.js';
import { across, pieceNames } from './pieces.js';
import { type LevelTetris, tetris } from './rules.js';

/** Lines to clear, rows of rubble, maximum holes per row, moves. */
const plans = [
  { lines: 1, rows: 2, holes: 2, moves: [2, 9] },
  { lines: 1, rows: 3, holes: 4, moves: [4, 18] },
  { lines: 2, rows: 4, holes: 4, moves: [8, 30] },
  { lines: 3, rows: 5, holes: 5, moves: [15, 45] },
  { lines: 5, rows: 6, holes: 5, moves: [24, 75] },
] as const;

export const tetrisFamily = gameFamily({
  game: tetris,
  description: 'Fill and clear a number of lines with falling pieces.',
  smallest: defaultScreen,
  level: drawTetris,
  fits({ difficulty }, moves) {
    const [minMoves, maxMoves] = (plans[difficulty - 1] ?? plans[0]).moves;
    return moves >= minMoves && moves <= maxMoves;
  },
  nameOf: ({ seed }) => String(seed),
  wordings: {
    en: [
      'clear {rows}: left and right move the piece, up turns it, down sinks it, space drops it',
      'fill {rows} completely (arrow left and right to move, up to turn, space to drop)',
      'play tetris: {rows} to clear; each key also lets the piece sink by one row',
      'complete {rows} with the falling pieces: arrows steer, up rotates, space lets go',
    ],
    zh: [
      '消除 {lines} 行：左右键移动，上键旋转，下键加速，空格直接落下',
      '玩俄罗斯方块，直到消掉 {lines} 行（方向键移动和旋转，空格落下）',
      '填满并消去 {lines} 行，每按一键方块下降一格，空格键立即落到底',
    ],
  },
  texts: ({ lines }) => ({ lines: String(lines), rows: lines === 1 ? 'a row' : `${lines} rows` }),
  maxMoves: 80,
});

/** Puts holes mostly below each other, so that they can be filled. */
function drawTetris(random: Random, difficulty: number): LevelTetris {
  const plan = plans[difficulty - 1] ?? plans[0];
  const rubble: string[] = [];
  let holeColumn = random.between(0, across - 1);
  let width = random.between(1, plan.holes);
  for (let row = 0; row < plan.rows; row++) {
    const first = Math.min(holeColumn, across - width);
    rubble.push(
      Array.from({ length: across }, (_, column) =>
        column >= first && column < first + width ? '.' : String(random.between(0, pieceNames.length - 1)),
      ).join(''),
    );
    // The next hole is below this one, or covered.
    if (random.chance(0.25)) holeColumn = random.between(0, across - 1);
    else holeColumn = Math.max(0, first + random.between(-1, 1));
    width = Math.max(1, Math.min(plan.holes, width + random.between(-1, 1)));
  }
  return { difficulty, lines: plan.lines, rubble, seed: random.between(0, 2 ** 31 - 1) };
}
