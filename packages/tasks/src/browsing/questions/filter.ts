import { normalise } from '../answers/normalise.js';
import type { Question } from './question.js';
import type { Site } from '../site/site.js';

export interface Giveaway {
  readonly query: string;
  readonly where: 'results' | 'first page';
}

/** Returns whether the question contains its answer, as in "which town is home to the University of Velmar?". */
export function containsAnswer({ text, reference }: Pick<Question, 'text' | 'reference'>): boolean {
  return ` ${plain(text)} `.includes(` ${normalise(reference)} `);
}

/**
 * Returns the search that gives the answer away, if any. The queries are the whole question, each name in it, and all
 * names together. The answer has to occur, as whole words, in a title or snippet of the first page of results, or in
 * the text of the first result. A list does not count as that result: it names dozens without saying which is right.
 */
export function findGiveaway(
  site: Site,
  { text, names, reference }: Pick<Question, 'text' | 'names' | 'reference'>,
): Giveaway | undefined {
  const answer = ` ${normalise(reference)} `;
  const holds = (piece: string) => ` ${plain(piece)} `.includes(answer) || ` ${dates(piece)} `.includes(answer);
  const queries = new Set([text, ...names, names.join(' ')].filter((query) => query !== ''));
  for (const query of queries) {
    const { results } = site.search(query);
    for (const { title, snippet } of results) {
      if (holds(title) || holds(snippet.join(''))) return { query, where: 'results' };
    }
    const first = results[0]?.page;
    if (first !== undefined && !site.listAt(first) && holds(site.text(first))) return { query, where: 'first page' };
  }
  return undefined;
}

function plain(text: string): string {
  return normalise(`x ${text}`);
}

function dates(text: string): string {
  return [...text.matchAll(/\d{1,2} [A-Z][a-z]+ \d{3,4}/g)].map(([date]) => normalise(date)).join(' ');
}
