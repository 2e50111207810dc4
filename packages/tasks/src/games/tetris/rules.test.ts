import { describe, expect, test } from 'vitest';
import { type Falling, type KeyTetris, droppedPiece } from './board.js';
import { across, down, drawBag } from './pieces.js';
import { type LevelTetris, type StateTetris, tetris } from './rules.js';

const level: LevelTetris = { difficulty: 1, lines: 1, rubble: ['000....000'], seed: 1 };

const withPiece = (kind: number): StateTetris => ({
  ...tetris.start(level),
  piece: { kind, turn: 0, x: kind === 1 ? 4 : 3, y: 0 },
});

const play = (state: StateTetris, ...keys: KeyTetris[]) => keys.reduce((at, key) => tetris.move(at, key, level), state);

describe('tetris', () => {
  test('a piece that fills the row clears it; it counts for the piece and for the line', () => {
    const after = play(withPiece(0), ' ');
    expect(after).toMatchObject({ placed: 1, cleared: 1 });
    expect(after.board.every((cell) => cell === 0)).toBe(true);
    expect(tetris.status(after, level)).toMatchObject({ score: 2, progress: 1, won: true });
  });

  test('each key lets the piece sink by a row, down by two, and one that cannot move sinks too', () => {
    expect(play(withPiece(2), 'ArrowLeft').piece).toMatchObject({ x: 2, y: 1 });
    expect(play(withPiece(2), 'ArrowDown').piece).toMatchObject({ x: 3, y: 2 });
    expect(play(withPiece(2), 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft').piece).toMatchObject({ x: 0, y: 4 });
    expect(play(withPiece(2), 'ArrowUp', 'ArrowUp', 'z').piece).toMatchObject({ turn: 1, y: 3 });
  });

  test('a piece that cannot sink stays, and one that has no room to come ends the game', () => {
    const square: Falling = { kind: 1, turn: 0, x: 0, y: 0 };
    expect(droppedPiece(tetris.start(level).board, square).y).toBe(down - 3);
    const toTheLeft: KeyTetris[] = ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', ' '];
    expect(play(withPiece(1), ...toTheLeft).board[(down - 2) * across]).toBe(2);
    const lost = play(withPiece(1), ...new Array<KeyTetris>(20).fill(' '));
    expect(tetris.status(lost, level)).toMatchObject({ over: true, won: false, lives: 0 });
  });

  test('every bag has all seven pieces', () => {
    for (const seed of [1, 2, 3]) expect([...drawBag(seed).bag].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});
