import { Random } from '../family/random.js';
import type { ReadingNoise } from './noise.js';
import type { Word } from './word.js';

/** Largest difference of the vertical middles within a line, in em. */
const skew = 0.25;
/** Words may overlap by this, in px: italic letters do. */
const overlap = 2;

export const leftOf = ({ edges }: Word): number => edges[0] ?? 0;
export const rightOf = ({ edges }: Word): number => edges.at(-1) ?? 0;
export const middleOf = ({ top, height }: Word): number => top + height / 2;

/** Bounds of the random widths that misjudged gaps are compared with, in em. */
export const misjudgedRange = { from: 0.1, to: 1.3 } as const;

/**
 * Joins words that stand close in a row. Lines come from top to bottom, then from left to right. The seed decides which
 * gaps are misjudged: that between the same two words at the same place always or never.
 */
export function wordLines(
  words: readonly Word[],
  { widestGap, misjudgedGaps }: Pick<ReadingNoise, 'widestGap' | 'misjudgedGaps'>,
  seed: string,
): Word[][] {
  const { from, to } = misjudgedRange;
  return rowsOf(words).flatMap((row) => {
    const lines: Word[][] = [];
    for (const word of row) {
      const line = lines.find((candidate) => {
        const gap = gapBetween(candidate.at(-1)!, word);
        if (gap === undefined) return false;
        const random = randomOf([candidate.at(-1)!, word], seed);
        return gap < (random.chance(misjudgedGaps) ? from + (to - from) * random.next() : widestGap);
      });
      if (line) line.push(word);
      else lines.push([word]);
    }
    return lines;
  });
}

/** Returns a generator that depends on the words and their place alone. */
export function randomOf(words: readonly Word[], seed: string): Random {
  const places = words.map((word) => `${Math.round(leftOf(word))},${Math.round(word.top)} ${word.text}`);
  return new Random(`${seed}/${places.join('/')}`);
}

/** A border between two words parts them as this much more room would; in em. */
const borderGap = 0.7;

/** Returns the gap between two words in em; undefined if they cannot be of one line. */
export function gapBetween(before: Word, after: Word): number | undefined {
  if (Math.abs(middleOf(before) - middleOf(after)) > skew * before.fontSize) return undefined;
  const room = leftOf(after) - rightOf(before);
  if (room <= -overlap) return undefined;
  const gap = room / before.fontSize + (before.frame === after.frame ? 0 : borderGap);
  return gap > misjudgedRange.to ? undefined : gap;
}

/** Sorts words into rows from top to bottom, each from left to right. */
export function rowsOf(words: readonly Word[]): Word[][] {
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

/** A code point of a line with its horizontal centre, in px. */
export interface LineCharacter {
  readonly text: string;
  readonly centre: number;
}

/** Returns the characters of a line, with the spaces that a reader sees between words. */
export function charactersOf(line: readonly Word[]): LineCharacter[] {
  return line.flatMap((word, index) => {
    const { edges } = word;
    const characters = [...word.text].map((text, place) => ({
      text,
      centre: ((edges[place] ?? 0) + (edges[place + 1] ?? 0)) / 2,
    }));
    const before = line[index - 1];
    if (!before || leftOf(word) - rightOf(before) <= space * before.fontSize) return characters;
    return [{ text: ' ', centre: (rightOf(before) + leftOf(word)) / 2 }, ...characters];
  });
}
