import type { Random } from '../family/random.js';
import type { Word } from './word.js';

/** Largest gap within a line, in em. */
const joinedGap = 0.62;
/** Largest difference of the vertical middles within a line, in em. */
const skew = 0.25;
/** Words may overlap by this, in px: italic letters do. */
const overlap = 2;

export const leftOf = ({ edges }: Word): number => edges[0] ?? 0;
export const rightOf = ({ edges }: Word): number => edges.at(-1) ?? 0;
export const middleOf = ({ top, height }: Word): number => top + height / 2;

/** Joins words that stand close in a row. Lines come from top to bottom, then from left to right. */
export function wordLines(words: readonly Word[], random: Random, misjudgedGaps: number): Word[][] {
  return rowsOf(words).flatMap((row) => {
    const lines: Word[][] = [];
    for (const word of row) {
      const line = lines.find((candidate) => {
        const last = candidate.at(-1);
        if (!last || Math.abs(middleOf(last) - middleOf(word)) > skew * last.fontSize) return false;
        const gap = leftOf(word) - rightOf(last);
        if (gap <= -overlap || gap > 1.3 * last.fontSize) return false;
        const limit = random.chance(misjudgedGaps) ? 0.1 + 1.2 * random.next() : joinedGap;
        return gap < limit * last.fontSize;
      });
      if (line) line.push(word);
      else lines.push([word]);
    }
    return lines;
  });
}

function rowsOf(words: readonly Word[]): Word[][] {
  const rows: Word[][] = [];
  for (const word of words.toSorted((a, b) => middleOf(a) - middleOf(b))) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row && last && middleOf(word) - middleOf(last) <= skew * Math.min(word.fontSize, last.fontSize)) row.push(word);
    else rows.push([word]);
  }
  return rows.map((row) => row.toSorted((a, b) => leftOf(a) - leftOf(b)));
}

/** Narrowest visible space, in em. */
const space = 0.12;

/** Returns whether a reader sees a space between two words of a line. */
export const isSpaced = (before: Word, after: Word): boolean =>
  leftOf(after) - rightOf(before) > space * before.fontSize;
