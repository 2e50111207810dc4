import { gameFamily } from '../gameFamily.js';
import { drawSokoban, suitsDifficulty } from './levels.js';
import { sokoban } from './rules.js';

export const sokobanFamily = gameFamily({
  game: sokoban,
  description: 'Push every box onto a target.',
  level: drawSokoban,
  fits: suitsDifficulty,
  wordings: {
    en: [
      'push every box onto a target with the arrow keys; U takes a move back, R starts again',
      'bring all boxes to the marked places: the arrow keys walk and push, U undoes, R restarts',
      'solve this sokoban (arrow keys; undo with U, restart with R)',
      'walk with the arrow keys and get each crate onto a ring; U undoes a move and R restarts',
    ],
    zh: [
      '用方向键把所有箱子推到目标点，U 撤销，R 重新开始',
      '完成这个推箱子关卡：方向键移动，U 悔一步，R 重来',
      '把每个箱子都推进圆圈（方向键移动，U 撤销，R 重来）',
    ],
  },
  maxMoves: 60,
});
