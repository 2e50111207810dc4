import { hanzi } from '@gyre/engine';
import type { Random } from '../family/random.js';

/** Errors of a reader. Shares are from 0 to 1; `gyre eval reader` measures all of them. */
export interface ReadingNoise {
  /** Share of lines that are not found. */
  readonly lostLines: number;
  /** Words that are farther apart are lines of their own; in em. */
  readonly widestGap: number;
  /** Share of gaps between words that are compared with a random width, which joins or parts words wrongly. */
  readonly misjudgedGaps: number;
  /** Share of spaces within lines that are not read. */
  readonly lostSpaces: number;
  /** Share of neighbouring characters that are read with a space between them. */
  readonly addedSpaces: number;
  /** Share of wrong characters: a third each is dropped, replaced, or preceded by another. */
  readonly wrongCharacters: number;
  /** Share of the letters with similar upper and lower case that are read in the wrong case. */
  readonly swappedCases: number;
  /** Share of the characters with look-alikes, such as l, 1 and I, that are read as one of these. */
  readonly confusedCharacters: number;
  /** Median height of a line's box, and of its margin to the left and right of the text, in em. */
  readonly boxHeight: number;
  readonly boxMargin: number;
  /** Standard deviation of each edge of a box, in em. */
  readonly boxJitter: number;
}

/** Reads the page's text exactly. */
export const noReadingNoise: ReadingNoise = {
  lostLines: 0,
  widestGap: 0.62,
  misjudgedGaps: 0,
  lostSpaces: 0,
  addedSpaces: 0,
  wrongCharacters: 0,
  swappedCases: 0,
  confusedCharacters: 0,
  boxHeight: 1.2,
  boxMargin: 0.2,
  boxJitter: 0,
};

const alikeCases = new Set('wWsSxXcCvVzZoOuUkKpP');
const lookAlikes = ['Il1|', '0Oo'] as const;
const letters = 'abcdefghijklmnopqrstuvwxyz';
const ideographs = [...hanzi];

export const hasAlikeCase = (character: string): boolean => alikeCases.has(character);

/** Returns the characters that one is easily confused with, other than its other case. */
export function lookAlikesOf(character: string): string[] {
  const group = lookAlikes.find((characters) => characters.includes(character)) ?? '';
  return [...group].filter(
    (other) => other !== character && !(hasAlikeCase(other) && other.toLowerCase() === character.toLowerCase()),
  );
}

/** Returns what is read of one code point: none, one or two. */
export function misread(
  character: string,
  { wrongCharacters, swappedCases, confusedCharacters }: ReadingNoise,
  random: Random,
): string[] {
  if (hasAlikeCase(character) && random.chance(swappedCases)) {
    const lower = character.toLowerCase();
    return [character === lower ? character.toUpperCase() : lower];
  }
  const alike = lookAlikesOf(character);
  if (alike.length > 0 && random.chance(confusedCharacters)) return [random.pick(alike)];
  if (!random.chance(wrongCharacters)) return [character];
  const isIdeograph = /\p{Script=Han}/u.test(character);
  switch (random.between(0, 2)) {
    case 0:
      return [];
    case 1:
      return [random.pick(isIdeograph ? ideographs : [...letters, ...'0123456789'])];
    default:
      return [random.pick(isIdeograph ? ideographs : [...letters, '.', '-']), character];
  }
}
