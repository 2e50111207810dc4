import { describe, expect, test } from 'vitest';
import { lmgameScore } from './lmgame.js';
import type { GameReport } from './report.js';

const report = (game: string, score: number, won = false): GameReport => ({
  ...{ game, score, won, version: 1, level: 1, progress: won ? 1 : 0.5, terminated: won },
  ...{ lives: 1, moves: 9, checksum: '00000000' },
});

describe('scores as LMGame-Bench counts them', () => {
  test('2048 on a scale of logarithms: the published 128.2 of o3 is a sum of 7220', () => {
    expect(lmgameScore([report('2048', 7220)])).toBeCloseTo(128.2, 1);
    expect(lmgameScore([report('2048', 4)])).toBe(20);
    expect(lmgameScore([report('2048', 0)])).toBe(0);
  });

  test('sokoban over the levels up to the first that is not solved', () => {
    const levels = [
      report('sokoban', 1, true),
      report('sokoban', 2, true),
      report('sokoban', 1),
      report('sokoban', 3, true),
    ];
    expect(lmgameScore(levels)).toBe(4);
    expect(lmgameScore(levels.slice(0, 2))).toBe(3);
  });

  test('tetris and candy crush as they count themselves', () => {
    expect(lmgameScore([report('tetris', 16)])).toBe(16);
    expect(lmgameScore([report('candyCrush', 163)])).toBe(163);
  });

  test('refuses what is no run of one of its games', () => {
    const wrong = [
      [],
      [report('maze', 1)],
      [report('tetris', 1), report('2048', 1)],
      [report('tetris', 1), report('tetris', 1)],
    ];
    for (const reports of wrong)
      expect(() => lmgameScore(reports)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});
