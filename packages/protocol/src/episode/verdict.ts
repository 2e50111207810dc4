import type { Episode, Verdict } from './episode.js';

/**
 * Returns undefined if the agent judged itself: it profits from its own judgement, so that is never trained on or
 * counted.
 */
export function independentVerdict({ verdict }: Pick<Episode, 'verdict'>): Verdict | undefined {
  return verdict?.source === 'agent' ? undefined : verdict;
}
