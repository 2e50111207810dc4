import type { Game } from '../game.js';
import {
  type Board,
  type Falling,
  type KeyTetris,
  spawnedPiece,
  droppedPiece,
  fits,
  lockPiece,
  movedPiece,
} from './board.js';
import { across, down, drawBag } from './pieces.js';
import { nextKey } from './placement.js';

/**
 * Tetris (Alexey Pajitnov, 1985) by the rules of LMGame-Bench, turn-based: every key moves or turns the piece, then it
 * sinks by a row or settles. Pieces come from shuffled bags of seven, without kicks. A placed piece scores 1, a cleared
 * line 1.
 */
export interface LevelTetris {
  readonly difficulty: number;
  readonly lines: number;
  /** `.` empty, otherwise a piece's number. */
  readonly rubble: readonly string[];
  readonly seed: number;
}

export interface StateTetris {
  readonly board: Board;
  readonly piece: Falling;
  /** At least `previewCount`. */
  readonly queue: readonly number[];
  readonly seed: number;
  readonly placed: number;
  readonly cleared: number;
  readonly full: boolean;
}

export const previewCount = 4;

function come(state: StateTetris): StateTetris {
  const [kind = 0, ...rest] = state.queue;
  let { seed } = state;
  const queue = rest;
  while (queue.length < previewCount) {
    const drawn = drawBag(seed);
    queue.push(...drawn.bag);
    ({ seed } = drawn);
  }
  const piece = spawnedPiece(kind);
  return { ...state, piece, queue, seed, full: !fits(state.board, piece) };
}

function place(state: StateTetris, piece: Falling): StateTetris {
  const { board, lines } = lockPiece(state.board, piece);
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
      piece: spawnedPiece(0),
      queue: [...drawBag(seed).bag],
      seed: drawBag(seed).seed,
      placed: 0,
      cleared: 0,
      full: false,
    });
  },
  move(state, key) {
    if (key === ' ') return place(state, droppedPiece(state.board, state.piece));
    const piece = movedPiece(state.board, state.piece, key);
    const sunk = { ...piece, y: piece.y + 1 };
    return fits(state.board, sunk) ? { ...state, piece: sunk } : place(state, piece);
  },
  status({ placed, cleared, full }, { lines }) {
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
