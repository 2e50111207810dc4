import type { FacetName } from '../../src/server/wire.js';
import { textIn } from '../parts/search.js';
import { type Bounds, boundsIn } from './bounds.js';

export const facetNames = [
  'family',
  'policy',
  'purpose',
  'split',
  'state',
  'success',
] as const satisfies readonly FacetName[];
const sorts = ['started_at', 'family', 'instruction', 'policy', 'turn_count', 'score', 'reward', 'state'] as const;
export type Sort = (typeof sorts)[number];

export type EpisodeSearch = Partial<Record<FacetName, string[]>> &
  Bounds & {
    text?: string;
    sort?: Sort;
    order?: 'ascending' | 'descending';
    offset?: number;
  };

/** Reads the filter from the address. */
export function episodeSearch(search: Record<string, unknown>): EpisodeSearch {
  const list = (value: unknown): string[] =>
    [value]
      .flat()
      .map(textIn)
      .filter((text) => text !== '');
  const chosen = facetNames.flatMap((name) => {
    const values = list(search[name]);
    return values.length > 0 ? [[name, values] as const] : [];
  });
  const offset = Number(search.offset);
  return {
    ...Object.fromEntries(chosen),
    ...boundsIn(search),
    ...(typeof search.text === 'string' && search.text !== '' && { text: search.text }),
    ...(sorts.some((name) => name === search.sort) && { sort: search.sort as Sort }),
    ...((search.order === 'ascending' || search.order === 'descending') && { order: search.order }),
    ...(Number.isInteger(offset) && offset > 0 && { offset }),
  };
}
