import type { Episode } from '@gyre/protocol';
import { GameReport } from '@gyre/tasks';

/** Averages the games' own scores; empty without games. */
export function gameScoreOf(family: string, episodes: readonly Episode[]): { gameScore?: number } {
  const scores = episodes.flatMap(({ task, verdict }) => {
    const read = GameReport.safeParse(task.family === family ? verdict?.evidence.report : undefined);
    return read.success ? [read.data.score] : [];
  });
  return scores.length === 0 ? {} : { gameScore: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}
