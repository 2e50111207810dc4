import { type Article, type Block, type Inline, articleOf, numberText } from '../articles/article.js';
import { kindNames, kinds } from '../world/entity.js';
import { type List, listArticle, listsOf } from '../articles/list.js';
import { type Indexed, SearchIndex } from '../search/search.js';
import { termsOf } from '../search/terms.js';
import type { World } from '../world/world.js';

export interface Result {
  readonly page: number;
  readonly title: string;
  /** Every second piece is a word of the query. */
  readonly snippet: readonly string[];
}

export const resultsPerPage = 8;
const snippetWords = 26;

/**
 * Pages are numbered: entities, then lists, the index of all lists and the start page. Articles and the search index
 * are created on demand.
 */
export class Site {
  readonly world: World;
  readonly lists: readonly List[];
  readonly #lists: readonly number[];
  readonly #addresses = new Map<string, number>();
  readonly #articles = new Map<number, Article>();
  #index: SearchIndex | undefined;

  constructor(world: World) {
    this.world = world;
    this.lists = listsOf(world);
    const listOf: number[] = [];
    for (const [index, list] of this.lists.entries()) {
      for (const { id } of list.members) listOf[id] = world.entities.length + index;
    }
    this.#lists = listOf;
    for (let page = 0; page < this.count; page++) this.#addresses.set(addressKey(this.address(page)), page);
  }

  get count(): number {
    return this.world.entities.length + this.lists.length + 2;
  }

  get index(): number {
    return this.count - 2;
  }

  get start(): number {
    return this.count - 1;
  }

  get host(): string {
    return `${this.world.title.toLowerCase()}.wiki`;
  }

  listPageOf(id: number): number {
    return this.#lists[id] ?? this.index;
  }

  listAt(page: number): List | undefined {
    return this.lists[page - this.world.entities.length];
  }

  title(page: number): string {
    if (page === this.start) return `${this.world.title} Wiki`;
    if (page === this.index) return 'All lists';
    return this.listAt(page)?.title ?? this.world.entity(page).name;
  }

  address(page: number): string {
    return page === this.start ? `${this.host}/` : `${this.host}/wiki/${this.title(page).replace(/ /g, '_')}`;
  }

  searchAddress(query: string, resultPage = 0): string {
    const further = resultPage === 0 ? '' : `&page=${resultPage + 1}`;
    return `${this.host}/search?q=${encodeURIComponent(query).replace(/%20/g, '+')}${further}`;
  }

  /** Accepts an address with or without host. */
  pageAt(address: string): number | undefined {
    const path = address.trim().replace(/^https?:\/\//, '');
    const whole = path.startsWith(this.host) ? path : `${this.host}/${path.replace(/^\//, '')}`;
    return this.#addresses.get(addressKey(whole));
  }

  article(page: number): Article {
    let article = this.#articles.get(page);
    if (!article) this.#articles.set(page, (article = this.#make(page)));
    return article;
  }

  links(page: number): number[] {
    // Not cached: callers mostly ask for the links of every page.
    const { box, blocks, categories } = this.#articles.get(page) ?? this.#make(page);
    const inlines: Inline[] = [...box.map(({ value }) => value), ...blocks.flatMap(inlinesOf), ...categories];
    const targets = new Set<number>();
    for (const inline of inlines) if (typeof inline !== 'string' && inline.to !== undefined) targets.add(inline.to);
    targets.delete(page);
    return [...targets];
  }

  text(page: number): string {
    return piecesOf(this.article(page))
      .join(' ')
      .replace(/ +/g, ' ')
      .replace(/ ([.,;”])/g, '$1')
      .replace(/“ /g, '“');
  }

  /** `resultPage` starts at 0. */
  search(query: string, resultPage = 0): { readonly total: number; readonly results: readonly Result[] } {
    this.#index ??= new SearchIndex(this.#documents());
    const hits = this.#index.search(query);
    // An exact title match comes first.
    const exact = this.#addresses.get(addressKey(`${this.host}/wiki/${query.trim()}`));
    const place = hits.findIndex(({ document }) => document === exact);
    if (place > 0) hits.unshift(...hits.splice(place, 1));
    const first = resultPage * resultsPerPage;
    const terms = new Set(termsOf(query));
    return {
      total: hits.length,
      results: hits.slice(first, first + resultsPerPage).map(({ document }) => ({
        page: document,
        title: this.title(document),
        snippet: snippetOf(this.text(document), terms),
      })),
    };
  }

  *#documents(): Generator<Indexed> {
    // The start page and the index contain nothing of their own.
    for (let page = 0; page < this.index; page++) {
      const article = this.#make(page);
      yield { title: article.title, pieces: piecesOf(article) };
    }
  }

  #make(page: number): Article {
    const { world } = this;
    if (page === this.start) return this.#startArticle();
    if (page === this.index) return this.#indexArticle();
    const list = this.listAt(page);
    if (list) return listArticle(world, list, this.index);
    const category = this.listPageOf(page);
    return articleOf(world, world.entity(page), [{ text: this.title(category), to: category }]);
  }

  #startArticle(): Article {
    const { world } = this;
    const featured = world.entities.filter(({ kind }, index) => kind !== 'region' && index % 487 === 11);
    const link = (page: number) => [{ text: this.title(page), to: page }];
    return {
      title: this.title(this.start),
      kind: 'start',
      box: [],
      blocks: [
        {
          type: 'paragraph',
          text: [`Welcome to the ${world.title} Wiki, an encyclopaedia of ${numberText(this.count)} pages. `],
        },
        { type: 'paragraph', text: ['Search for a name, or begin with ', { text: 'all lists', to: this.index }, '.'] },
        { type: 'heading', text: 'Countries' },
        { type: 'bullets', items: world.ofKind('country').map(({ id }) => link(id)) },
        { type: 'heading', text: 'From the collection' },
        { type: 'bullets', items: featured.slice(0, 6).map(({ id }) => link(id)) },
      ],
      categories: [],
    };
  }

  #indexArticle(): Article {
    const blocks = kindNames.flatMap((kind): Block[] => {
      const items: Inline[][] = [];
      for (const [index, list] of this.lists.entries()) {
        if (list.kind === kind) items.push([{ text: list.title, to: this.world.entities.length + index }]);
      }
      const { plural } = kinds[kind];
      return [
        { type: 'heading', text: plural.charAt(0).toUpperCase() + plural.slice(1) },
        { type: 'bullets', items },
      ];
    });
    return { title: 'All lists', kind: 'index', box: [], blocks, categories: [] };
  }
}

function addressKey(address: string): string {
  return address.toLowerCase().replace(/_/g, ' ').replace(/%20/g, ' ');
}

function inlinesOf(block: Block): readonly Inline[] {
  switch (block.type) {
    case 'paragraph':
      return block.text;
    case 'heading':
      return [block.text];
    case 'bullets':
      return block.items.flat();
    case 'table':
      return [...block.head, ...block.rows.flat(2)];
  }
}

/** Omits the title; separates cells, items and blocks. */
function piecesOf({ box, blocks, categories }: Article): string[] {
  const pieces: string[] = [];
  const add = (inline: Inline) => pieces.push(typeof inline === 'string' ? inline : inline.text);
  for (const block of blocks) for (const inline of inlinesOf(block)) add(inline);
  for (const { label, value } of box) {
    pieces.push(label);
    add(value);
  }
  for (const category of categories) add(category);
  return pieces;
}

/** Returns the densest stretch, split at query words. */
function snippetOf(text: string, terms: ReadonlySet<string>): string[] {
  const words = text.split(' ');
  const hits = words.map((word) => termsOf(word).some((term) => terms.has(term)));
  let [best, maxHits, inside] = [0, -1, 0];
  for (let end = 0; end < words.length; end++) {
    if (hits[end]) inside++;
    if (end >= snippetWords && hits[end - snippetWords]) inside--;
    if (inside > maxHits) [best, maxHits] = [Math.max(0, end - snippetWords + 1), inside];
  }
  const hit = hits.indexOf(true, best);
  const first = Math.max(0, Math.min((hit < 0 ? best : hit) - 4, words.length - snippetWords));
  const snippet = [first > 0 ? '… ' : ''];
  for (let index = first; index < Math.min(words.length, first + snippetWords); index++) {
    const [word, isHit] = [words[index] ?? '', hits[index] ?? false];
    if (isHit) snippet.push(word, ' ');
    else snippet.push(`${snippet.pop() ?? ''}${word} `);
  }
  return snippet;
}
