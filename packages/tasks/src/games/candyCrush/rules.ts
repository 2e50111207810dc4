import { type Swap, areNeighbours, collapse, firstBoard, matches, settle, swapped, swapsOf } from './board.js';
import type { Game } from '../game.js';
import { lookAhead } from '../solving/lookAhead.js';

/**
 * Candy Crush by the rules and the counting of LMGame-Bench (lmgame-org/GamingAgent, `custom_03_candy_crush`, there on
 * tile-match-gym): 8 x 8 candies without special ones, a fixed number of moves, and a point for every candy that vanishes, those of
 * cascades too. Swapping two neighbours that make no line of three costs a move and changes nothing else; a board that no swap helps
 * is shuffled. Unlike there all lines of a board vanish at once instead of the lowest first, and a level asks for a score.
 */
export interface CandyLevel {
  readonly difficulty: number;
  /** Kinds of candy; 4 in LMGame-Bench. */
  readonly kinds: number;
  /** Moves that may be made; 50 in LMGame-Bench. */
  readonly moves: number;
  /** The score to reach. */
  readonly target: number;
  /** Of the candies that come. */
  readonly seed: number;
}

export interface CandyState {
  /** Kinds from 1 on, in reading order. */
  readonly cells: readonly number[];
  /** Moves that are left. */
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
    const left = state.left - 1;
    const tried = swapped(state.cells, swap);
    if (matches(tried).length === 0) return { ...state, left };
    const { cells, gone, seed } = settle(tried, kinds, state.seed);
    return { cells, left, score: state.score + gone, seed };
  },
  standing({ score, left }, { target }) {
    const won = score >= target;
    const lost = !won && left === 0;
    return { score, progress: Math.min(1, score / target), won, over: won || lost, lives: lost ? 0 : 1 };
  },
  hint({ cells, left, score }, { target }) {
    const outlook = {
      moves: ({ board }: Seen) => swapsOf(board),
      after: ({ board, gone }: Seen, swap: Swap) => vanish(swapped(board, swap), gone),
      worth: ({ gone }: Seen) => (score + gone >= target ? Infinity : gone),
    };
    return lookAhead(outlook, { board: cells, gone: 0 }, { width: 5, depth: Math.min(2, left) });
  },
};

/** A board as far as it is foreseen, and how many candies vanished on the way. */
interface Seen {
  readonly board: readonly number[];
  readonly gone: number;
}

/** All that follows from lines on a board but for what the candies do that come. */
export function vanish(board: readonly number[], gone = 0): Seen {
  let now = board;
  let total = gone;
  for (let found = matches(now); found.length > 0; found = matches(now)) {
    total += found.length;
    now = collapse(now, found);
  }
  return { board: now, gone: total };
}
