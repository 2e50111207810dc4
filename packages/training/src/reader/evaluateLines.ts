import { Random } from '@gyre/engine';
import type { OwnRecogniser } from '@gyre/reader';
import { type LinePage, cutLine } from './linePage.js';

export interface LineScores {
  readonly lines: number;
  /** Share of the lines that are read exactly. */
  readonly exact: number;
  /** Edits needed, per character. */
  readonly errors: number;
}

const chinese = /\p{Script=Han}/u;

/** Reads the lines of pages, with a detector's jitter, and scores them by script. */
export async function evaluateLines(
  recogniser: OwnRecogniser,
  pages: readonly LinePage[],
): Promise<{ readonly latin: LineScores; readonly chinese: LineScores }> {
  const random = new Random(1).fork('held-out lines');
  const cut = pages.flatMap((page) => page.lines.map((line) => cutLine(page, line, random)));
  const read = await recogniser.recogniseLines(cut);
  const rows = cut.map(({ characters }, i) => ({ truth: characters.join('').trim(), text: read[i]!.text }));
  return {
    latin: scores(rows.filter(({ truth }) => !chinese.test(truth))),
    chinese: scores(rows.filter(({ truth }) => chinese.test(truth))),
  };
}

function scores(rows: readonly { readonly truth: string; readonly text: string }[]): LineScores {
  const exact = rows.filter(({ truth, text }) => truth === text).length;
  const edits = rows.reduce((sum, { truth, text }) => sum + distance([...truth], [...text]), 0);
  const characters = rows.reduce((sum, { truth }) => sum + [...truth].length, 0);
  return { lines: rows.length, exact: exact / Math.max(1, rows.length), errors: edits / Math.max(1, characters) };
}

/** Levenshtein 1966. */
function distance(a: readonly string[], b: readonly string[]): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, char] of a.entries()) {
    const row = [i + 1];
    for (const [j, candidate] of b.entries())
      row.push(Math.min(row[j]! + 1, previous[j + 1]! + 1, previous[j]! + (char === candidate ? 0 : 1)));
    previous = row;
  }
  return previous[b.length]!;
}
