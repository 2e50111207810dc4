import { textIn } from '../parts/search.js';

const splits = ['test', 'dev'] as const;

export interface ResultsSearch {
  split?: (typeof splits)[number];
  /** Columns to compare. */
  before?: string;
  after?: string;
}

/** Reads from the address what is compared. */
export function resultsSearch(search: Record<string, unknown>): ResultsSearch {
  const [before, after] = [textIn(search.before), textIn(search.after)];
  return {
    ...(splits.some((split) => split === search.split) && { split: search.split as 'dev' }),
    ...(before !== '' && { before }),
    ...(after !== '' && { after }),
  };
}
