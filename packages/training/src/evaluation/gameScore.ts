import type { Episode } from '@gyre/protocol';
import { GameReport } from '@gyre/tasks';

/** Averages the scores that the games of a family report, in their own points. Empty if none is a game. */
export function gameScoreOf(family: string, episodes: readonly Episode[]): { gameScore?: number } {
  const scores = episodes.flatMap(({ task, verdict }) => {
    const read = GameReport.safeParse(task.family === family ? verdict?.evidence.report : undefined);
    return read.success ? [read.data.score] : [];
  });
  return scores.length === 0 ? {} : { gameScore: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}
