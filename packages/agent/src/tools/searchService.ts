import type { SdkCall } from '@gyre/protocol';
import { result } from './result.js';

/** A page that was found. */
export interface FoundPage {
  readonly title: string;
  readonly url: string;
  /** Where in it what was asked for stands. */
  readonly snippet: string;
}

/**
 * Where an agent's searches go: a corpus that whoever defines tasks has, or a service. Both throw `bad_input` for what cannot be
 * answered, which the agent is told, and `infra` where nobody answers, which ends its episode.
 */
export interface SearchService {
  /** Best first; `total` where it is known how many there are. */
  search(query: string): Found | Promise<Found>;
  /** The text of a page. */
  read(url: string): string | Promise<string>;
}

export interface Found {
  readonly total?: number | undefined;
  readonly results: readonly FoundPage[];
}

/** Results that an agent sees. */
const mostResults = 10;

/** What a search or a page says. Of a page all is told, whatever it is read for. */
export async function lookUp(
  call: Extract<SdkCall, { type: 'search' | 'link_reader' }>,
  service: SearchService,
): Promise<string> {
  if (call.type === 'link_reader') return result(await service.read(call.url));
  const { results, total } = await service.search(call.query);
  const shown = results.slice(0, mostResults);
  const list = shown.map(({ title, url, snippet }, index) =>
    [`${index + 1}. ${title}`, url, ...(snippet === '' ? [] : [snippet])].join('\n   '),
  );
  return result(list.join('\n'), `${shown.length} of ${total ?? results.length} results`);
}
