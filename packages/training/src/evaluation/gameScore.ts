import type { Episode } from '@gyre/protocol';
import { z } from 'zod';

/** Games of gyre and official ones report more. */
const Scored = z.object({ score: z.number() });

/** Averages the games' own scores; empty without games. */
export function gameScoreOf(family: string, episodes: readonly Episode[]): { gameScore?: number } {
  const scores = episodes.flatMap(({ task, verdict }) => {
    const read = Scored.safeParse(task.family === family ? verdict?.evidence.report : undefined);
    return read.success ? [read.data.score] : [];
  });
  return scores.length === 0 ? {} : { gameScore: scores.reduce((sum, score) => sum + score, 0) / scores.length };
}
