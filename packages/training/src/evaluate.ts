import type { Episode } from '@gyre/protocol';
import { wilson } from './statistics.js';

/** Success on a set of episodes with its 95 % Wilson interval, and the mean score. Infrastructure errors do not count in `n`. */
export interface Result {
  family: string;
  n: number;
  success: number;
  low: number;
  high: number;
  score: number;
  infraErrors: number;
}

export function resultOf(family: string, episodes: readonly Episode[]): Result {
  const of = episodes.filter(({ task }) => task.family === family);
  const judged = of.filter(({ verdict }) => verdict !== undefined);
  const successes = judged.filter(({ verdict }) => verdict?.success).length;
  const scores = judged.reduce((total, { verdict }) => total + (verdict?.score ?? 0), 0);
  return {
    family,
    n: judged.length,
    ...wilson(successes, judged.length),
    score: judged.length ? scores / judged.length : 0,
    infraErrors: of.filter(({ end }) => end.state === 'infra_error').length,
  };
}
