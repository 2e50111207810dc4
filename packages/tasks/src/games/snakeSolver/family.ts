import { gameFamily } from '../gameFamily.js';
import { drawSnake, suitsDifficulty } from './levels.js';
import { snakeSolver } from './rules.js';

export const snakeSolverFamily = gameFamily({
  game: snakeSolver,
  description: 'Steer a snake step by step to all fruit and then to the exit.',
  level: drawSnake,
  fits: suitsDifficulty,
  wordings: {
    en: [
      'steer the snake with the arrow keys: eat all fruit, then go to the ring{falls}; U takes a step back, R starts again',
      'the snake moves one cell with each arrow key; let it eat every fruit and leave by the ring{falls} (U undoes, R restarts)',
      'solve this snake puzzle: all fruit first, then the exit ring{falls}. Arrow keys move, U undoes, R restarts',
      'bring the snake out: it must eat each fruit, and only then the ring opens{falls} (arrow keys, U to undo, R to restart)',
    ],
    zh: [
      '用方向键控制蛇：吃完所有水果，再进入圆环{fallsZh}；U 撤销，R 重新开始',
      '每按一次方向键蛇走一格，先吃光水果再从圆环离开{fallsZh}（U 撤销，R 重来）',
      '带蛇出去：水果全部吃完后圆环才会打开{fallsZh}（方向键移动，U 悔一步，R 重来）',
    ],
  },
  texts: ({ gravity }) => ({
    falls: gravity ? ', mind that it falls where nothing holds it' : '',
    fallsZh: gravity ? '，注意悬空时蛇会掉下去' : '',
  }),
  maxMoves: 60,
});
