import type { Candidate, PlaceName } from './candidate.js';

/** Maximum Jaccard similarity. */
const alike = 0.8;

/** Letters, since Chinese has no spaces. */
const shingle = 4;

/** Rejects similar wordings, and equal goals in the same place. */
export class Duplicates {
  readonly #texts: ReadonlySet<string>[] = [];
  readonly #goals = new Set<string>();

  /** Returns whether the task is new, and remembers it. */
  take(place: PlaceName, { instruction, condition }: Pick<Candidate, 'instruction' | 'condition'>): boolean {
    const text = shinglesOf(instruction);
    const goal = JSON.stringify([place, sorted(condition)]);
    // Different questions may share an answer.
    const sameGoal = condition.kind !== 'answer' && this.#goals.has(goal);
    if (sameGoal || this.#texts.some((other) => jaccardIndex(text, other) >= alike)) return false;
    this.#texts.push(text);
    this.#goals.add(goal);
    return true;
  }
}

/** Normalises case, width, punctuation and spaces; a short text is one shingle. */
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

/** Returns the Jaccard index. */
export function jaccardIndex(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const one of a) if (b.has(one)) both++;
  return both / (a.size + b.size - both);
}

function sorted(condition: Candidate['condition']): unknown {
  if (condition.kind === 'answer') return condition;
  if (condition.kind === 'shown') return { ...condition, texts: [...condition.texts].sort() };
  return condition.changes.map((change) => JSON.stringify(change)).sort();
}
