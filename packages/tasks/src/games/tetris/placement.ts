import { type Board, type Falling, type KeyTetris, spawnedPiece, droppedPiece, fits, movedPiece } from './board.js';
import { across, cellsOf, down } from './pieces.js';

interface Placement {
  readonly end: Falling;
  readonly keys: readonly KeyTetris[];
}

/** Returns the next key towards the best placement. */
export function nextKey(board: Board, piece: Falling, next: number, linesToClear: number): KeyTetris | undefined {
  let best: { worth: number; placement: Placement } | undefined;
  for (const placement of placements(board, piece)) {
    const worth = worthOf(board, placement.end, next, linesToClear);
    const isBetter =
      !best || worth > best.worth || (worth === best.worth && placement.keys.length < best.placement.keys.length);
    if (isBetter) best = { worth, placement };
  }
  return best?.placement.keys[0];
}

/** Turns, then moves, then drops; each key sinks the piece by a row. */
function placements(board: Board, piece: Falling): Placement[] {
  const options: Placement[] = [];
  let turned: Falling | undefined = piece;
  const turns: KeyTetris[] = [];
  for (let turn = 0; turn < 4 && turned; turn++) {
    for (const arrow of ['ArrowLeft', 'ArrowRight'] as const) {
      let moved: Falling | undefined = turned;
      const keys: KeyTetris[] = [...turns];
      for (let steps = 0; moved; steps++) {
        if (steps > 0 || arrow === 'ArrowLeft') options.push({ end: droppedPiece(board, moved), keys: [...keys, ' '] });
        keys.push(arrow);
        moved = after(board, moved, arrow);
      }
    }
    turns.push('ArrowUp');
    turned = after(board, turned, 'ArrowUp');
  }
  return options;
}

function after(board: Board, piece: Falling, key: KeyTetris): Falling | undefined {
  const steeredPiece = movedPiece(board, piece, key);
  if (steeredPiece === piece) return undefined;
  const sunk = { ...steeredPiece, y: steeredPiece.y + 1 };
  return fits(board, sunk) ? sunk : undefined;
}

/** The board stays the same for many hints. */
const known = new WeakMap<Board, Map<string, number>>();

function worthOf(board: Board, end: Falling, next: number, linesToClear: number): number {
  const worths = known.get(board) ?? new Map<string, number>();
  known.set(board, worths);
  const name = [end.kind, end.turn, end.x, end.y, next, linesToClear].join();
  let worth = worths.get(name);
  if (worth === undefined) {
    worth = lookAhead(board, end, next, linesToClear);
    worths.set(name, worth);
  }
  return worth;
}

/** Adds the best placement of the next piece. */
function lookAhead(board: Board, end: Falling, next: number, linesToClear: number): number {
  const first = settle(rowsOf(board), end);
  if (first.lines >= linesToClear) return 1e6;
  const firstWorth = valueOf(first.rows, end, first.lines);
  let best = -1e6;
  for (let turn = 0; turn < 4; turn++) {
    for (let x = -2; x < across; x++) {
      const second = { ...spawnedPiece(next), turn, x };
      if (!hasRoom(first.rows, second)) continue;
      while (hasRoom(first.rows, second)) second.y++;
      second.y--;
      const { rows, lines } = settle(first.rows, second);
      best = Math.max(best, first.lines + lines >= linesToClear ? 1e5 : valueOf(rows, second, lines));
    }
  }
  return firstWorth + best;
}

type Rows = readonly number[];

const fullRow = 2 ** across - 1;

/** Population counts of 12-bit numbers. */
const bits = Uint8Array.from(
  { length: 2 ** (across + 2) },
  (_, number) => number.toString(2).replaceAll('0', '').length,
);

function rowsOf(board: Board): Rows {
  return Array.from({ length: down }, (_, row) => {
    let mask = 0;
    for (let column = 0; column < across; column++) if (board[row * across + column] !== 0) mask |= 1 << column;
    return mask;
  });
}

function hasRoom(rows: Rows, { kind, turn, x, y }: Falling): boolean {
  for (const [column, row] of cellsOf(kind, turn)) {
    const [cx, cy] = [x + column, y + row];
    if (cx < 0 || cx >= across || cy >= down || (rows[cy]! >> cx) & 1) return false;
  }
  return true;
}

function settle(rows: Rows, { kind, turn, x, y }: Falling): { rows: Rows; lines: number } {
  const filled = [...rows];
  for (const [column, row] of cellsOf(kind, turn)) filled[y + row]! |= 1 << (x + column);
  const remainingRows = filled.filter((row) => row !== fullRow);
  const lines = down - remainingRows.length;
  return { rows: lines > 0 ? [...new Array<number>(lines).fill(0), ...remainingRows] : remainingRows, lines };
}

/**
 * Dellacherie's features (2003) with weights near El-Ashi's ("El-Tetris", 2011), except a higher one for lines, since
 * the game ends after some.
 */
function valueOf(rows: Rows, { kind, turn, y }: Falling, lines: number): number {
  const landing = down - y - middleOf(kind, turn);
  let rowTurns = 0;
  let columnTurns = 0;
  let holes = 0;
  let wells = 0;
  let covered = 0;
  let above = 0;
  const depths = new Uint8Array(across);
  for (const row of rows) {
    // With a wall at both sides.
    const walled = (row << 1) | (1 << (across + 1)) | 1;
    rowTurns += bits[(walled ^ (walled >> 1)) & (2 * fullRow + 1)]!;
    columnTurns += bits[row ^ above]!;
    covered |= row;
    holes += bits[covered & ~row]!;
    const narrow = ~covered & (walled >> 2) & walled & fullRow;
    for (let column = 0; column < across; column++) {
      if ((narrow >> column) & 1) wells += ++depths[column]!;
      else depths[column] = 0;
    }
    above = row;
  }
  columnTurns += bits[above ^ fullRow]!;
  return -4.5 * landing + 12 * lines - 3.2 * rowTurns - 9.3 * columnTurns - 7.9 * holes - 3.4 * wells;
}

function middleOf(kind: number, turn: number): number {
  const rows = cellsOf(kind, turn).map(([, row]) => row);
  return (Math.min(...rows) + Math.max(...rows)) / 2;
}
