import type { SdkCall } from '@gyre/protocol';
import { result } from './result.js';

export interface FoundPage {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** Throws `bad_input`, reported to the agent, or `infra`, which ends the episode. */
export interface SearchService {
  /** Returns the best first; `total` if known. */
  search(query: string): Found | Promise<Found>;
  read(url: string): string | Promise<string>;
}

export interface Found {
  readonly total?: number | undefined;
  readonly results: readonly FoundPage[];
}

const maxResults = 10;

/** Shows whole pages. */
export async function executeSearch(
  call: Extract<SdkCall, { type: 'search' | 'link_reader' }>,
  service: SearchService,
): Promise<string> {
  if (call.type === 'link_reader') return result(await service.read(call.url));
  const { results, total } = await service.search(call.query);
  const topResults = results.slice(0, maxResults);
  const list = topResults.map(({ title, url, snippet }, index) =>
    [`${index + 1}. ${title}`, url, ...(snippet === '' ? [] : [snippet])].join('\n   '),
  );
  return result(list.join('\n'), `${topResults.length} of ${total ?? results.length} results`);
}
