import { game2048 } from './rules.js';
import { gameFamily } from '../gameFamily.js';

const targets = [32, 64, 128, 256, 512];

export const family2048 = gameFamily({
  game: game2048,
  description: 'Merge equal tiles until the requested tile appears.',
  level: (random, difficulty) => ({
    difficulty,
    target: targets[difficulty - 1] ?? 32,
    seed: random.between(0, 2 ** 31 - 1),
  }),
  nameOf: ({ seed }) => String(seed),
  wordings: {
    en: [
      'make the tile {target}',
      'play until you have a {target}',
      'combine tiles up to {target}',
      'reach {target} in this game',
    ],
    zh: ['合成 {target} 的方块', '玩到出现 {target}', '把方块合并到 {target}'],
  },
  texts: ({ target }) => ({ target: String(target) }),
  maxMoves: 500,
});
