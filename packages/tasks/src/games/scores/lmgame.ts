import { GyreError } from '@gyre/protocol';
import type { GameReport } from './report.js';

/*
 * Scoring of LMGame-Bench (Hu et al., 2025, arXiv 2505.15146; github.com/lmgame-org/GamingAgent). The levels differ:
 * see docs/research/lmgame.md.
 */

/** Score of a run, from its final reports. */
const scores = {
  /** Boxes at targets, up to the first unsolved level. */
  sokoban(levels: readonly GameReport[]): number {
    const unsolved = levels.findIndex(({ won }) => !won);
    const counted = unsolved === -1 ? levels : levels.slice(0, unsolved + 1);
    return counted.reduce((sum, { score }) => sum + score, 0);
  },
  /** Placed pieces plus lines. */
  tetris: ([report]: readonly GameReport[]): number => report?.score ?? 0,
  /** Removed candies. */
  candyCrush: ([report]: readonly GameReport[]): number => report?.score ?? 0,
  /** 10 times log2 of the sum of merged tiles; 0 without merges. */
  '2048': ([report]: readonly GameReport[]): number => (report && report.score > 0 ? 10 * Math.log2(report.score) : 0),
} as const;

export type LmgameGame = keyof typeof scores;
const lmgameGames = Object.keys(scores) as LmgameGame[];

/**
 * Scores a run as LMGame-Bench does. Sokoban takes its levels in order, others a single report. Throws `bad_input` for
 * other games, mixed games, and extra reports.
 */
export function lmgameScore(reports: readonly GameReport[]): number {
  const [name, ...others] = new Set(reports.map(({ game }) => game));
  const game = lmgameGames.find((known) => known === name);
  if (game === undefined || others.length > 0) {
    throw new GyreError(
      'bad_input',
      `LMGame-Bench does not score a run of ${[name, ...others].join(' and ') || 'no family'}`,
      {
        field: 'reports',
        fix: `pass reports of one of ${lmgameGames.join(', ')}`,
      },
    );
  }
  if (game !== 'sokoban' && reports.length > 1) {
    throw new GyreError('bad_input', `a run of ${game} must have one report, not ${reports.length}`, {
      field: 'reports',
      fix: 'score each run separately',
    });
  }
  return scores[game](reports);
}
