import { candyCrush } from './rules.js';
import { gameFamily, defaultScreen } from '../gameFamily.js';

/** The scripted solution reaches a target in about half of the levels; fewer kinds make longer cascades. */
const plans = [
  { kinds: 5, moves: 5, minTarget: 45, maxTarget: 65 },
  { kinds: 4, moves: 8, minTarget: 160, maxTarget: 220 },
  { kinds: 5, moves: 12, minTarget: 140, maxTarget: 170 },
  { kinds: 6, moves: 20, minTarget: 130, maxTarget: 165 },
  { kinds: 6, moves: 30, minTarget: 210, maxTarget: 250 },
] as const;

export const candyCrushFamily = gameFamily({
  game: candyCrush,
  description: 'Swap neighbouring candies to clear lines of three or more, and reach a score within the allowed moves.',
  smallest: defaultScreen,
  level(random, difficulty) {
    const { kinds, moves, minTarget, maxTarget } = plans[difficulty - 1] ?? plans[0];
    return {
      difficulty,
      kinds,
      moves,
      target: random.between(minTarget, maxTarget),
      seed: random.between(0, 2 ** 31 - 1),
    };
  },
  nameOf: ({ seed }) => String(seed),
  wordings: {
    en: [
      'score {target} within {moves} moves: drag a candy onto its neighbour to swap them, lines of three or more vanish',
      'swap neighbouring candies to line up three or more, and get {target} points in {moves} moves',
      'reach {target} points; you have {moves} swaps',
      'make at least {target} candies vanish in {moves} moves by swapping neighbours into lines of three',
      'get a score of {target} in this candy game before the {moves} moves are used up',
    ],
    zh: [
      '拖动交换相邻的糖果,三个以上连成一线即消除,在 {moves} 步内得到 {target} 分',
      '在 {moves} 步之内消除糖果,达到 {target} 分',
      '用 {moves} 步拿到 {target} 分',
    ],
  },
  texts: ({ target, moves }) => ({ target: String(target), moves: String(moves) }),
  maxMoves: 40,
});
