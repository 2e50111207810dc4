import { normalise } from '../answers/normalise.js';
import type { Question } from './question.js';
import type { Site } from '../site/site.js';

/** Which query found the answer, and where. */
export interface Giveaway {
  readonly query: string;
  readonly where: 'results' | 'first page';
}

/** Is the answer in the question, as that of "which town is home to the University of Velmar?" is? */
export function saysItself({ text, reference }: Pick<Question, 'text' | 'reference'>): boolean {
  return ` ${plain(text)} `.includes(` ${normalise(reference)} `);
}

/**
 * Does one search solve a question? Searched for are the whole question, each thing that it names, and all these names together.
 * The answer is given away where it stands, whole word by whole word, in the title or snippet of any result on the first page of
 * results, or anywhere in the text of the page that is the first result. A list does not count as that page: it names dozens, the
 * right one among them, and says nothing of which it is.
 */
export function givenAway(
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

/** A text's words as `normalise` writes those of an answer. */
function plain(text: string): string {
  return normalise(`x ${text}`);
}

/** The dates of a text, as `normalise` writes them. */
function dates(text: string): string {
  return [...text.matchAll(/\d{1,2} [A-Z][a-z]+ \d{3,4}/g)].map(([date]) => normalise(date)).join(' ');
}
