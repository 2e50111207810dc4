import { termsOf } from './terms.js';

/** Okapi BM25 (Robertson and Zaragoza 2009, eq. 3.15): saturation of repeated terms, and weight of length. */
const saturation = 1.2;
const lengthWeight = 0.75;
/** Occurrences in the text that one in the title is worth: BM25F with one weight. */
const titleWeight = 8;

export interface Indexed {
  readonly title: string;
  /** Split between words only. */
  readonly pieces: readonly string[];
}

export interface Hit {
  readonly document: number;
  readonly score: number;
}

export class SearchIndex {
  readonly #terms = new Map<string, number>();
  readonly #termCache = new Map<string, readonly number[]>();
  /** By term: document, frequency, document, frequency. */
  readonly #postings: number[][] = [];
  readonly #lengths: number[] = [];
  #mean = 0;

  constructor(documents: Iterable<Indexed>) {
    let total = 0;
    for (const { title, pieces } of documents) {
      const before = total;
      total += this.#count(title, titleWeight);
      for (const piece of pieces) total += this.#count(piece, 1);
      this.#lengths.push(total - before);
    }
    this.#mean = total / Math.max(1, this.#lengths.length);
    // Pieces recur among documents; queries do not.
    this.#termCache.clear();
  }

  /** Returns documents with any term of the query, best first; ties by number. */
  search(query: string): Hit[] {
    const scores = new Map<number, number>();
    const count = this.#lengths.length;
    for (const term of new Set(termsOf(query))) {
      const postings = this.#postings[this.#terms.get(term) ?? -1];
      if (!postings) continue;
      const having = postings.length / 2;
      const rarity = Math.log(1 + (count - having + 0.5) / (having + 0.5));
      for (let index = 0; index < postings.length; index += 2) {
        const [document, frequency] = [postings[index]!, postings[index + 1]!];
        const length = (this.#lengths[document] ?? 0) / this.#mean;
        const weight =
          (frequency * (saturation + 1)) / (frequency + saturation * (1 - lengthWeight + lengthWeight * length));
        scores.set(document, (scores.get(document) ?? 0) + rarity * weight);
      }
    }
    const hits = [...scores].map(([document, score]): Hit => ({ document, score }));
    return hits.sort((one, other) => other.score - one.score || one.document - other.document);
  }

  /** Counts a piece's terms for the current document; returns their total weight. */
  #count(piece: string, weight: number): number {
    const document = this.#lengths.length;
    const terms = this.#termsOf(piece);
    for (const term of terms) {
      const postings = this.#postings[term]!;
      const last = postings.length - 1;
      if (postings[last - 1] === document) postings[last] = postings[last]! + weight;
      else postings.push(document, weight);
    }
    return terms.length * weight;
  }

  #termsOf(piece: string): readonly number[] {
    let numbers = this.#termCache.get(piece);
    if (!numbers) this.#termCache.set(piece, (numbers = termsOf(piece).map((term) => this.#number(term))));
    return numbers;
  }

  #number(term: string): number {
    let number = this.#terms.get(term);
    if (number === undefined) {
      this.#terms.set(term, (number = this.#terms.size));
      this.#postings.push([]);
    }
    return number;
  }
}
