import type { TaskState } from '../../family/pageVerifier.js';
import { type Facts, factsOf } from '../data/facts.js';

/** What a verdict is made from, beside the store as it is now. */
export interface Case {
  /** Stores: at the start, and as it is to be. */
  readonly start: unknown;
  readonly goal: unknown;
  /** For questions: what is to be answered. */
  readonly answer?: string;
  /** Paths of lists of plain values whose order does not count. */
  readonly anyOrder?: readonly string[];
  /** Paths whose facts nothing can mend, such as that of what was sent. */
  readonly lasting?: readonly string[];
}

/**
 * Compares a store with what it is to be, as often as it is given. Half of the reward is for parts, which are the facts that have to change
 * (or the answer), less one part while anything else has changed; half is for all parts with nothing else changed.
 *
 * @returns a function of the store now, and of what the agent ended with, which is absent while it has not.
 */
export function judgeOf({ start, goal, answer, anyOrder = [], lasting = [] }: Case) {
  const after = factsOf(goal, anyOrder);
  const wanted = new Set(differing(factsOf(start, anyOrder), after));
  const total = wanted.size + (answer === undefined ? 0 : 1);
  return (now: unknown, finished?: { readonly answer?: string }): TaskState => {
    const found = factsOf(now, anyOrder);
    const differs = differing(after, found);
    const wrong = differs.filter((path) => !wanted.has(path));
    const answered = answer !== undefined && finished?.answer !== undefined && sameAnswer(finished.answer, answer);
    const right = wanted.size - (differs.length - wrong.length) + (answered ? 1 : 0);
    const success = right === total && wrong.length === 0;
    const lost = wrong.some((path) => found.has(path) && lasting.some((beginning) => path.startsWith(beginning)));
    return {
      done: success || lost || finished !== undefined,
      success,
      score: success ? 1 : Math.min(Math.max(0, right - Math.min(1, wrong.length)) / total, 1 - 1 / (2 * total)),
      reward: (right - Math.min(1, wrong.length)) / (2 * total) + (success ? 0.5 : 0),
      evidence: {
        right,
        total,
        wrong: wrong.slice(0, 8),
        ...(answer !== undefined && { answer: finished?.answer ?? null }),
      },
    };
  };
}

function differing(a: Facts, b: Facts): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path));
}

/** Are two answers the same but for case, width, spaces, quotes and signs of currencies; or the same number? */
export function sameAnswer(given: string, wanted: string): boolean {
  const [a, b] = [normal(given), normal(wanted)];
  return a === b || (a !== '' && b !== '' && Number(a) === Number(b));
}

function normal(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s"“”「」'‘’$€£¥,]/g, '')
    .replace(/[.。!！]+$/, '');
}
