import { GyreError } from '@gyre/protocol';
import type { GameReport } from './report.js';

/*
 * The counting of LMGame-Bench (Hu et al., "lmgame-Bench: How Good are LLMs at Playing Games?", 2025, arXiv 2505.15146; code:
 * github.com/lmgame-org/GamingAgent). It is the way of counting that is the same, not the levels: docs/research/lmgame.md says what differs.
 */

/** Of one run of a game, from what it reported at its end; by our names of the games. */
const scores = {
  /** Boxes at targets, over the levels in turn; the first that is not solved is the last that counts. */
  sokoban(levels: readonly GameReport[]): number {
    const unsolved = levels.findIndex(({ won }) => !won);
    const counted = unsolved === -1 ? levels : levels.slice(0, unsolved + 1);
    return counted.reduce((sum, { score }) => sum + score, 0);
  },
  /** Pieces that were placed, and lines that were cleared. */
  tetris: ([report]: readonly GameReport[]): number => report?.score ?? 0,
  /** Candies that vanished. */
  candyCrush: ([report]: readonly GameReport[]): number => report?.score ?? 0,
  /** 10 times the binary logarithm of the sum of all tiles that were made; 0 where none was. */
  '2048': ([report]: readonly GameReport[]): number => (report && report.score > 0 ? 10 * Math.log2(report.score) : 0),
} as const;

/** The games that LMGame-Bench and we have both. */
export type LmgameGame = keyof typeof scores;
export const lmgameGames = Object.keys(scores) as LmgameGame[];

/**
 * What a run scores as LMGame-Bench counts. A run of sokoban is the reports of its levels in the order in which they were played; that of
 * another game is one report. Throws `bad_input` for other games, for reports of several games, and for several of one that has no levels.
 */
export function lmgameScore(reports: readonly GameReport[]): number {
  const [name, ...others] = new Set(reports.map(({ game }) => game));
  const game = lmgameGames.find((known) => known === name);
  if (game === undefined || others.length > 0) {
    throw new GyreError('bad_input', `LMGame-Bench scores no run of ${[name, ...others].join(' and ') || 'nothing'}`, {
      field: 'reports',
      fix: `give the reports of one of ${lmgameGames.join(', ')}`,
    });
  }
  if (game !== 'sokoban' && reports.length > 1) {
    throw new GyreError('bad_input', `a run of ${game} has one report, not ${reports.length}`, {
      field: 'reports',
      fix: 'score each by itself',
    });
  }
  return scores[game](reports);
}
