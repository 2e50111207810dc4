import type { Candidate, PlaceName } from './candidate.js';

/** How alike two instructions may be: the share of shingles that both have of those that either has (Jaccard). */
const alike = 0.8;

/** Letters of a shingle. Letters rather than words, as Chinese has no spaces between them. */
const shingle = 4;

/** Keeps tasks apart: by their wording, but for small differences, and by what they are to bring about in a place. */
export class Duplicates {
  readonly #texts: ReadonlySet<string>[] = [];
  readonly #goals = new Set<string>();

  /** Takes a task in, unless one like it is there. Returns whether it was taken. */
  take(place: PlaceName, { instruction, condition }: Pick<Candidate, 'instruction' | 'condition'>): boolean {
    const text = shinglesOf(instruction);
    const goal = JSON.stringify([place, sorted(condition)]);
    // Questions may have the same answer and be different.
    const sameGoal = condition.kind !== 'answer' && this.#goals.has(goal);
    if (sameGoal || this.#texts.some((other) => likeness(text, other) >= alike)) return false;
    this.#texts.push(text);
    this.#goals.add(goal);
    return true;
  }
}

/** The shingles of a text without case, width, punctuation and runs of spaces; a short text is one of its own. */
export function shinglesOf(text: string): ReadonlySet<string> {
  const letters = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  const shingles = new Set<string>();
  for (let from = 0; from === 0 || from + shingle <= letters.length; from++) {
    shingles.add(letters.slice(from, from + shingle));
  }
  return shingles;
}

/** Jaccard's index of two sets, 0..1. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const one of a) if (b.has(one)) both++;
  return both / (a.size + b.size - both);
}

/** A condition in which nothing depends on the order in which it was written. */
function sorted(condition: Candidate['condition']): unknown {
  if (condition.kind === 'answer') return condition;
  if (condition.kind === 'shown') return { ...condition, texts: [...condition.texts].sort() };
  return condition.changes.map((change) => JSON.stringify(change)).sort();
}
