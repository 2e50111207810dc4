import type { Episode } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { gameScoreOf } from './gameScore.js';

test('the score of a game is the mean of what its verdicts report', () => {
  const episode = (family: string, report?: object) =>
    ({ task: { family }, verdict: { evidence: { report } } }) as unknown as Episode;
  const scored = (score: number) => ({
    ...{ game: '2048', version: 1, level: 1, score, progress: 0.5, won: false, terminated: true, lives: 0, moves: 3 },
    checksum: '0123abcd',
  });
  const episodes = [
    episode('2048', scored(100)),
    episode('2048', scored(50)),
    episode('other', scored(7)),
    episode('maze'),
  ];
  expect(gameScoreOf('2048', episodes)).toEqual({ gameScore: 75 });
  expect(gameScoreOf('maze', episodes)).toEqual({});
});
