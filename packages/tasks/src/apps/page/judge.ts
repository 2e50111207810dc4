import type { TaskState } from '../../family/pageVerifier.js';
import { type Facts, factsOf } from '../data/facts.js';

export interface Case {
  readonly start: unknown;
  readonly goal: unknown;
  readonly answer?: string;
  readonly anyOrder?: readonly string[];
  /** Paths whose facts cannot be undone, such as sent mail. */
  readonly lasting?: readonly string[];
}

/**
 * Returns a judge of the store and the final answer. Half of the reward is for parts: facts to change, or the answer.
 * Any other change costs one part. The other half is for success: all parts right and nothing else changed.
 */
export function createJudge({ start, goal, answer, anyOrder = [], lasting = [] }: Case) {
  const after = factsOf(goal, anyOrder);
  const requiredPaths = new Set(differing(factsOf(start, anyOrder), after));
  const total = requiredPaths.size + (answer === undefined ? 0 : 1);
  return (now: unknown, finished?: { readonly answer?: string }): TaskState => {
    const current = factsOf(now, anyOrder);
    const differs = differing(after, current);
    const wrong = differs.filter((path) => !requiredPaths.has(path));
    const answered = answer !== undefined && finished?.answer !== undefined && sameAnswer(finished.answer, answer);
    const right = requiredPaths.size - (differs.length - wrong.length) + (answered ? 1 : 0);
    const success = right === total && wrong.length === 0;
    const lost = wrong.some((path) => current.has(path) && lasting.some((beginning) => path.startsWith(beginning)));
    return {
      done: success || lost || finished !== undefined,
      success,
      score: success ? 1 : Math.min(Math.max(0, right - Math.min(1, wrong.length)) / total, 1 - 1 / (2 * total)),
      reward: (right - Math.min(1, wrong.length)) / (2 * total) + (success ? 0.5 : 0),
      evidence: {
        right,
        total,
        sideEffects: wrong.slice(0, 8),
        ...(answer !== undefined && { answer: finished?.answer ?? null }),
      },
    };
  };
}

function differing(a: Facts, b: Facts): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path));
}

/** Compares answers, ignoring case, width, spaces, quotes and currency signs; equal numbers are the same. */
export function sameAnswer(answer: string, reference: string): boolean {
  const [a, b] = [normal(answer), normal(reference)];
  return a === b || (a !== '' && b !== '' && Number(a) === Number(b));
}

function normal(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s"“”「」'‘’$€£¥,]/g, '')
    .replace(/[.。!！]+$/, '');
}
