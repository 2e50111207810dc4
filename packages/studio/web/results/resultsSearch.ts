import { textIn } from '../parts/search.js';

const splits = ['test', 'dev'] as const;

export interface ResultsSearch {
  split?: (typeof splits)[number];
  /** Columns to compare. */
  before?: string;
  after?: string;
  /** Family of the curves; default: all tasks. */
  family?: string;
}

/** Reads from the address what is compared. */
export function resultsSearch(search: Record<string, unknown>): ResultsSearch {
  const [before, after, family] = [textIn(search.before), textIn(search.after), textIn(search.family)];
  return {
    ...(splits.some((split) => split === search.split) && { split: search.split as 'dev' }),
    ...(before !== '' && { before }),
    ...(after !== '' && { after }),
    ...(family !== '' && { family }),
  };
}
