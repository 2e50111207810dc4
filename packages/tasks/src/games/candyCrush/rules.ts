import { type Swap, areNeighbours, collapse, firstBoard, matches, settle, swapped, swapsOf } from './board.js';
import type { Game } from '../game.js';
import { lookAhead } from '../solving/lookAhead.js';

/**
 * Candy Crush with the rules and scoring of LMGame-Bench (lmgame-org/GamingAgent, `custom_03_candy_crush`, on
 * tile-match-gym): no special candies, a fixed number of moves, a point per removed candy. A useless swap costs a move;
 * a board without useful swaps is shuffled. Differences: all lines vanish at once, not the lowest first, and a level
 * has a target score.
 */
export interface CandyLevel {
  readonly difficulty: number;
  /** 4 in LMGame-Bench. */
  readonly kinds: number;
  /** 50 in LMGame-Bench. */
  readonly moves: number;
  readonly target: number;
  readonly seed: number;
}

export interface CandyState {
  readonly cells: readonly number[];
  // eslint-disable-next-line gyre/vague-name -- checksums cover the name
  readonly left: number;
  readonly score: number;
  readonly seed: number;
}

export const candyCrush: Game<CandyLevel, CandyState, Swap> = {
  name: 'candyCrush',
  version: 1,
  start({ kinds, moves, seed }) {
    const board = firstBoard(kinds, seed);
    return { cells: board.cells, left: moves, score: 0, seed: board.seed };
  },
  move(state, swap, { kinds }) {
    if (!areNeighbours(swap) || state.left === 0 || !state.cells[swap.from] || !state.cells[swap.to]) return state;
    const movesLeft = state.left - 1;
    const tried = swapped(state.cells, swap);
    if (matches(tried).length === 0) return { ...state, left: movesLeft };
    const { cells, gone, seed } = settle(tried, kinds, state.seed);
    return { cells, left: movesLeft, score: state.score + gone, seed };
  },
  status({ score, left: movesLeft }, { target }) {
    const won = score >= target;
    const lost = !won && movesLeft === 0;
    return { score, progress: Math.min(1, score / target), won, over: won || lost, lives: lost ? 0 : 1 };
  },
  hint({ cells, left: movesLeft, score }, { target }) {
    const outlook = {
      moves: ({ board }: Seen) => swapsOf(board),
      after: ({ board, gone }: Seen, swap: Swap) => clearLines(swapped(board, swap), gone),
      worth: ({ gone }: Seen) => (score + gone >= target ? Infinity : gone),
    };
    return lookAhead(outlook, { board: cells, gone: 0 }, { width: 5, depth: Math.min(2, movesLeft) });
  },
};

interface Seen {
  readonly board: readonly number[];
  readonly gone: number;
}

/** Removes lines and cascades, without new candies. */
export function clearLines(board: readonly number[], gone = 0): Seen {
  let now = board;
  let total = gone;
  for (let matched = matches(now); matched.length > 0; matched = matches(now)) {
    total += matched.length;
    now = collapse(now, matched);
  }
  return { board: now, gone: total };
}
