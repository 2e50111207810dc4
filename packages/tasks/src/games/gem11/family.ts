import { gem11 } from './rules.js';
import { gameFamily } from '../gameFamily.js';

/** Ranks below the target. */
const kinds = [
  { columns: 4, rows: 4, below: [2, 2, 3] },
  { columns: 4, rows: 4, below: [2, 3] },
  { columns: 4, rows: 4, below: [3, 3, 4] },
  { columns: 5, rows: 5, below: [3, 4, 5] },
  { columns: 5, rows: 5, below: [4, 5, 6] },
] as const;

export const gem11Family = gameFamily({
  game: gem11,
  description: 'Drag gems onto equal neighbours to merge them into the next gem, until the requested gem appears.',
  level: (random, difficulty) => {
    const { columns, rows, below } = kinds[difficulty - 1] ?? kinds[0];
    const target = random.between(Math.max(...below) + 1, 11);
    return {
      difficulty,
      columns,
      rows,
      target,
      ranks: below.map((down) => target - down),
      seed: random.between(0, 2 ** 31 - 1),
    };
  },
  nameOf: ({ seed }) => String(seed),
  wordings: {
    en: [
      'make gem {target}: drag a gem onto an equal gem beside it and they become the next higher gem',
      'merge neighbouring equal gems by dragging one onto the other, until you have gem {target}',
      'get gem number {target} (two equal gems side by side make the next one: drag one onto the other)',
      'drag equal neighbouring gems together until gem {target} appears',
      'reach gem {target} by dragging gems onto equal ones next to them',
    ],
    zh: [
      '把宝石拖到旁边相同的宝石上,合成更高一级的宝石,直到得到 {target} 号宝石',
      '合出 {target} 号宝石:拖动一颗宝石到相邻的相同宝石上',
      '拖动合并相邻的相同宝石,目标是 {target} 号宝石',
    ],
  },
  texts: ({ target }) => ({ target: String(target) }),
  maxMoves: 90,
});
