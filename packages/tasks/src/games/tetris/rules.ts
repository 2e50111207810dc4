import type { Game } from '../game.js';
import { type Board, type Falling, type KeyTetris, coming, dropped, fits, settled, steered } from './board.js';
import { across, down, drawBag } from './pieces.js';
import { nextKey } from './placement.js';

/**
 * Tetris (Alexey Pajitnov, 1985) by the rules of LMGame-Bench: it waits for the player; every key moves or turns the piece where that is
 * possible and then lets it sink by one row, and where it cannot sink it stays. Pieces come from shuffled bags of all seven; turning
 * knows no kicks. As there, the score is 1 for every piece that is placed and 1 for every line that is cleared.
 */
export interface LevelTetris {
  readonly difficulty: number;
  /** Lines to clear. */
  readonly lines: number;
  /** The lowest rows at the start, from top to bottom: `.` empty, else the number of a piece. */
  readonly rubble: readonly string[];
  /** Of the pieces. */
  readonly seed: number;
}

export interface StateTetris {
  readonly board: Board;
  readonly piece: Falling;
  /** What comes next, the next one first; at least `shown`. */
  readonly queue: readonly number[];
  readonly seed: number;
  readonly placed: number;
  readonly cleared: number;
  /** A piece had no room to come. */
  readonly full: boolean;
}

/** Pieces that a player sees ahead. */
export const shown = 4;

/** The next piece comes from the queue, which is filled up from new bags. */
function come(state: StateTetris): StateTetris {
  const [kind = 0, ...rest] = state.queue;
  let { seed } = state;
  const queue = rest;
  while (queue.length < shown) {
    const drawn = drawBag(seed);
    queue.push(...drawn.bag);
    ({ seed } = drawn);
  }
  const piece = coming(kind);
  return { ...state, piece, queue, seed, full: !fits(state.board, piece) };
}

function place(state: StateTetris, piece: Falling): StateTetris {
  const { board, lines } = settled(state.board, piece);
  return come({ ...state, board, placed: state.placed + 1, cleared: state.cleared + lines });
}

export const tetris: Game<LevelTetris, StateTetris, KeyTetris> = {
  name: 'tetris',
  version: 1,
  start({ rubble, seed }) {
    const low = rubble.flatMap((line) => [...line].map((cell) => (cell === '.' ? 0 : Number(cell) + 1)));
    const board = [...new Array<number>(across * down - low.length).fill(0), ...low];
    return come({
      board,
      piece: coming(0),
      queue: [...drawBag(seed).bag],
      seed: drawBag(seed).seed,
      placed: 0,
      cleared: 0,
      full: false,
    });
  },
  move(state, key) {
    if (key === ' ') return place(state, dropped(state.board, state.piece));
    const piece = steered(state.board, state.piece, key);
    const sunk = { ...piece, y: piece.y + 1 };
    return fits(state.board, sunk) ? { ...state, piece: sunk } : place(state, piece);
  },
  standing({ placed, cleared, full }, { lines }) {
    const won = cleared >= lines;
    return {
      score: placed + cleared,
      progress: Math.min(1, cleared / lines),
      won,
      over: won || full,
      lives: full && !won ? 0 : 1,
    };
  },
  hint: ({ board, piece, queue, cleared }, { lines }) => nextKey(board, piece, queue[0] ?? 0, lines - cleared),
};
