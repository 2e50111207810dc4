import { gameFamily, defaultScreen } from '../gameFamily.js';
import { drawPlatformer } from './levels.js';
import { platformer } from './rules.js';

export const platformerFamily = gameFamily({
  game: platformer,
  description: 'Run and jump to the flag, past pits and slimes.',
  smallest: defaultScreen,
  level: drawPlatformer,
  wordings: {
    en: [
      'get to the flag: right and left run a short way, up jumps ahead, down stops; mind pits and slimes',
      'run and jump to the flag at the right end with the arrow keys (up jumps the way it looks, down stops)',
      'bring the robot to the flag with presses of the arrow keys; jump over pits, and over or onto slimes',
      'reach the flag before the three lives are gone: arrow right runs, arrow up jumps forward, arrow down halts',
    ],
    zh: [
      '到达旗子：左右键跑一小段，上键向前跳，下键停下，小心坑和史莱姆',
      '用方向键带机器人跑到右边的旗子，上键跳跃，别掉进坑里',
      '在三条命用完之前跑到旗子处（左右键跑，上键跳，下键停）',
    ],
  },
  maxMoves: 110,
});
