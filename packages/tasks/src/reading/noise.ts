import { hanzi } from '@gyre/engine';
import type { Random } from '../family/random.js';

/** Error rates of a reader, each from 0 to 1. */
export interface ReadingNoise {
  /** Share of wrong characters: a third each is dropped, replaced, or preceded by another. */
  readonly wrongCharacters: number;
  /** Share of the letters with similar upper and lower case that are read in the wrong case. */
  readonly swappedCases: number;
  /** Share of lines that are not found. */
  readonly lostLines: number;
  /** Share of gaps between words that are compared with a random width, which joins or parts words wrongly. */
  readonly misjudgedGaps: number;
  /** Spread of the margins around lines: 1 draws them from 0.5 to 1.5 times the usual. */
  readonly looseBoxes: number;
}

/** Estimates for PP-OCR, not fitted to its readings. */
export const defaultReadingNoise: ReadingNoise = {
  wrongCharacters: 0.012,
  swappedCases: 0.12,
  lostLines: 0.015,
  misjudgedGaps: 0.03,
  looseBoxes: 1,
};

/** Reads the page's text exactly. */
export const noReadingNoise: ReadingNoise = {
  wrongCharacters: 0,
  swappedCases: 0,
  lostLines: 0,
  misjudgedGaps: 0,
  looseBoxes: 0,
};

const alikeCases = new Set('wWsSxXcCvVzZoOuUkKpP');
const letters = 'abcdefghijklmnopqrstuvwxyz';
const ideographs = [...hanzi];

/** Returns what is read of one code point: none, one or two. */
export function misread(
  character: string,
  random: Random,
  { wrongCharacters, swappedCases }: Pick<ReadingNoise, 'wrongCharacters' | 'swappedCases'>,
): string[] {
  if (alikeCases.has(character) && random.chance(swappedCases)) {
    const lower = character.toLowerCase();
    return [character === lower ? character.toUpperCase() : lower];
  }
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
