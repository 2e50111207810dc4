import type { Episode, Verdict } from './episode.js';

/**
 * Returns the verdict that may be learnt from and counted: undefined where there is none, or where the agent has judged itself. An agent
 * gains by what it says of its own episode, so that nothing is trained on it.
 */
export function independentVerdict({ verdict }: Pick<Episode, 'verdict'>): Verdict | undefined {
  return verdict?.source === 'agent' ? undefined : verdict;
}
