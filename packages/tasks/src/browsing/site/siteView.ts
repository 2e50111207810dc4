import { fillWording } from '../../family/wording.js';
import type { Block, Inline, Mention } from '../articles/article.js';
import type { SiteLabels } from '../questions/question.js';
import { type Site, resultsPerPage } from './site.js';

/** A page, search results, or an address without a page. */
export type View =
  { readonly page: number } | { readonly query: string; readonly resultPage: number } | { readonly missing: string };

export class SiteView {
  readonly #site: Site;
  readonly #labels: SiteLabels;
  readonly #seen: ReadonlySet<number>;

  constructor(site: Site, labels: SiteLabels, seen: ReadonlySet<number>) {
    this.#site = site;
    this.#labels = labels;
    this.#seen = seen;
  }

  address(view: View): string {
    if ('page' in view) return this.#site.address(view.page);
    return 'query' in view ? this.#site.searchAddress(view.query, view.resultPage) : view.missing;
  }

  /** A link has `data-to`, the value of a fact `data-fact`, a pager `data-do`. */
  html(view: View): string {
    if ('page' in view) return this.#page(view.page);
    if ('query' in view) return this.#results(view.query, view.resultPage);
    return `<h1>${escaped(this.#labels.missing)}</h1><p>${escaped(view.missing)}</p>`;
  }

  #page(page: number): string {
    const { title, kind, box, blocks, categories } = this.#site.article(page);
    const rows = box.map(
      ({ label, value }) => `<div><i>${escaped(label)}</i><span>${this.#inline(value)}</span></div>`,
    );
    const aside = rows.length > 0 ? `<div class="box"><b>${escaped(title)}</b>${rows.join('')}</div>` : '';
    const lists = categories.map((category) => this.#inline(category)).join(' ');
    const foot = lists === '' ? '' : `<div class="lists">${escaped(this.#labels.seeAlso)}: ${lists}</div>`;
    const under = kind === 'start' || kind === 'index' ? '' : `<div class="kind">${escaped(kind)}</div>`;
    return `${aside}<h1>${escaped(title)}</h1>${under}${blocks.map((block) => this.#block(block)).join('')}${foot}`;
  }

  #block(block: Block): string {
    switch (block.type) {
      case 'paragraph':
        return `<p>${this.#inlines(block.text)}</p>`;
      case 'heading':
        return `<h2>${escaped(block.text)}</h2>`;
      case 'bullets':
        return `<ul>${block.items.map((item) => `<li>${this.#inlines(item)}</li>`).join('')}</ul>`;
      case 'table': {
        const head = block.head.map((cell) => `<th>${escaped(cell)}</th>`).join('');
        const rows = block.rows.map(
          (row) => `<tr>${row.map((cell) => `<td>${this.#inlines(cell)}</td>`).join('')}</tr>`,
        );
        return `<table><tr>${head}</tr>${rows.join('')}</table>`;
      }
    }
  }

  #results(query: string, resultPage: number): string {
    const { results: heading, nothing, next, previous } = this.#labels;
    const { total, results } = this.#site.search(query, resultPage);
    const title = fillWording(heading, { n: total, q: query });
    if (results.length === 0) return `<h1>${escaped(title)}</h1><p>${escaped(nothing)}</p>`;
    const rows = results.map(({ page, snippet }) => {
      const words = snippet.map((part, index) => (index % 2 === 1 ? `<b>${escaped(part)}</b>` : escaped(part)));
      return `<div class="result">${this.#link({ text: this.#site.title(page), to: page })}<div>${words.join('')}</div></div>`;
    });
    const ways = [
      ...(resultPage > 0 ? [`<a data-do="previous">‹ ${escaped(previous)}</a>`] : []),
      ...((resultPage + 1) * resultsPerPage < total ? [`<a data-do="next">${escaped(next)} ›</a>`] : []),
    ];
    return `<h1>${escaped(title)}</h1>${rows.join('')}<div class="pages">${ways.join('')}</div>`;
  }

  #inlines(inlines: readonly Inline[]): string {
    return inlines.map((inline) => this.#inline(inline)).join('');
  }

  #inline(inline: Inline): string {
    if (typeof inline === 'string') return escaped(inline);
    return inline.to === undefined
      ? `<span data-fact="${inline.fact}">${escaped(inline.text)}</span>`
      : this.#link(inline);
  }

  #link({ text, to, fact }: Mention): string {
    const seen = this.#seen.has(to!) ? ' class="seen"' : '';
    return `<a data-to="${to}"${seen}${fact === undefined ? '' : ` data-fact="${fact}"`}>${escaped(text)}</a>`;
  }
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
