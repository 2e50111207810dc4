import { across, cellsOf, down, squareOf } from './pieces.js';

/** Upper left corner of its square, and turns to the right. */
export interface Falling {
  readonly kind: number;
  readonly turn: number;
  readonly x: number;
  readonly y: number;
}

/** 0 empty, otherwise 1 + the piece's number. */
export type Board = readonly number[];

export const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'z', ' '] as const;
export type KeyTetris = (typeof keys)[number];

export function fits(board: Board, { kind, turn, x, y }: Falling): boolean {
  for (const [column, row] of cellsOf(kind, turn)) {
    const [cx, cy] = [x + column, y + row];
    if (cx < 0 || cx >= across || cy < 0 || cy >= down || board[cy * across + cx] !== 0) return false;
  }
  return true;
}

export const spawnedPiece = (kind: number): Falling => ({
  kind,
  turn: 0,
  x: across / 2 - Math.floor(squareOf(kind) / 2),
  y: 0,
});

export function droppedPiece(board: Board, piece: Falling): Falling {
  let low = piece;
  for (let next = piece; fits(board, next); next = { ...next, y: next.y + 1 }) low = next;
  return low;
}

/** Returns the same piece if blocked. */
export function movedPiece(board: Board, piece: Falling, key: KeyTetris): Falling {
  const { turn, x, y } = piece;
  const target =
    key === 'ArrowLeft'
      ? { ...piece, x: x - 1 }
      : key === 'ArrowRight'
        ? { ...piece, x: x + 1 }
        : key === 'ArrowUp'
          ? { ...piece, turn: (turn + 1) % 4 }
          : key === 'z'
            ? { ...piece, turn: (turn + 3) % 4 }
            : { ...piece, y: y + 1 };
  return fits(board, target) ? target : piece;
}

export function lockPiece(board: Board, { kind, turn, x, y }: Falling): { board: Board; lines: number } {
  const filled = [...board];
  for (const [column, row] of cellsOf(kind, turn)) filled[(y + row) * across + x + column] = kind + 1;
  const rows: number[][] = [];
  for (let row = 0; row < down; row++) {
    const line = filled.slice(row * across, (row + 1) * across);
    if (line.includes(0)) rows.push(line);
  }
  const lines = down - rows.length;
  return { board: [...new Array<number>(lines * across).fill(0), ...rows.flat()], lines };
}
