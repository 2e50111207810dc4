import { makeCubeLevel } from './level.js';
import { cubinko } from './rules.js';
import { gameFamily } from '../gameFamily.js';

export const cubinkoFamily = gameFamily({
  game: cubinko,
  description: 'Roll a cube with six coloured faces so that it lands on each coloured tile with the matching face.',
  level: makeCubeLevel,
  wordings: {
    en: [
      'roll the cube with the arrow keys so that it lands on every coloured tile with the face of the same colour at the bottom',
      'light all coloured tiles: the cube must come to lie on each with its matching face down (arrow keys roll it)',
      'use the arrow keys to roll the cube; each marked tile lights when the face with its mark lies on it. Light them all',
      'match the underside of the cube with every coloured tile by rolling it over the grid',
      'roll the cube until all the marked tiles were covered by the face with their mark',
    ],
    zh: [
      '用方向键滚动方块,让每个彩色格都被同色的面压到',
      '滚动立方体,使底面颜色与彩色格相同,点亮所有彩色格',
      '让方块以相同颜色的面落在每个有标记的格子上',
    ],
  },
  maxMoves: 40,
});
