import { mergeAndDouble } from './rules.js';
import { gameFamily } from '../gameFamily.js';

const kinds = [
  { columns: 4, rows: 4, target: 16, values: [2, 2, 4] },
  { columns: 4, rows: 4, target: 32, values: [2, 2, 4] },
  { columns: 4, rows: 4, target: 64, values: [2, 4, 8] },
  { columns: 5, rows: 5, target: 128, values: [2, 4, 8, 16] },
  { columns: 5, rows: 5, target: 256, values: [2, 4, 8, 16, 32] },
] as const;

export const mergeAndDoubleFamily = gameFamily({
  game: mergeAndDouble,
  description: 'Merge groups of equal numbers into one of double value until the requested number appears.',
  level: (random, difficulty) => ({
    difficulty,
    ...(kinds[difficulty - 1] ?? kinds[0]),
    seed: random.between(0, 2 ** 31 - 1),
  }),
  nameOf: ({ seed }) => String(seed),
  wordings: {
    en: [
      'make the number {target}: a press on one of several equal numbers that touch merges them into one of double value',
      'click groups of equal numbers to merge them, until there is a {target}',
      'merge and double numbers up to {target}: pressing a group of equal neighbours makes it one number twice as large',
      'reach {target} by clicking on touching equal tiles, which become one tile of double value where you click',
      'get a {target} tile by merging equal tiles that touch (press one of them)',
    ],
    zh: [
      '点击相连的相同数字,把它们合成一个两倍的数字,直到出现 {target}',
      '合成数字 {target}:点一下相邻的相同数字,它们会合并并翻倍',
      '不断合并相同的数字,得到 {target}',
    ],
  },
  texts: ({ target }) => ({ target: String(target) }),
  maxMoves: 90,
});
