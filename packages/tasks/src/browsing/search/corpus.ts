import { GyreError, type Split } from '@gyre/protocol';
import { markdownOf } from '../articles/markdown.js';
import { Site } from '../site/site.js';
import { World } from '../world/world.js';

const cacheSize = 6;
const cache = new Map<string, Site>();

export function siteOf(split: Split, world: number): Site {
  const name = `${split}/${world}`;
  const site = cache.get(name) ?? new Site(new World(split, world));
  cache.delete(name);
  cache.set(name, site);
  const oldest = cache.keys().next().value;
  if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest);
  return site;
}

export interface CorpusResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/** The encyclopaedia for an agent's tools, with the screen's pages and search. */
export class Corpus {
  readonly #site: Site;

  constructor(split: Split, world: number) {
    this.#site = siteOf(split, world);
  }

  /** Returns 8 results a page, best first. `page` starts at 0. */
  search(query: string, page = 0): { readonly total: number; readonly results: readonly CorpusResult[] } {
    const { total, results } = this.#site.search(query, page);
    return {
      total,
      results: results.map(({ page: number, title, snippet }) => ({
        title,
        url: `http://${this.#site.address(number)}`,
        snippet: snippet.join('').trim(),
      })),
    };
  }

  /** Returns a page as Markdown with links. Throws `bad_input` for an unknown address. */
  read(url: string): string {
    const page = this.#site.pageAt(url);
    if (page === undefined) {
      throw new GyreError('bad_input', `there is no page at ${url}`, {
        field: 'url',
        fix: 'use a URL from the search results or a link',
      });
    }
    return markdownOf(this.#site.article(page), (to) => `http://${this.#site.address(to)}`);
  }
}
