import type { PixelBox, Reading, Size, TextLine } from '@gyre/protocol';
import type { Random } from '../family/random.js';
import { type ReadingNoise, defaultReadingNoise, misread } from './noise.js';
import type { Word } from './word.js';
import { isSpaced, leftOf, middleOf, rightOf, wordLines } from './wordLines.js';

/** Name of the reader in its readings. */
export const simulatedReader = 'simulated';

/** Height of a line, and the margin that a detector leaves around it as a share of that. */
const lineEm = 1.15;
const margin = 0.22;

const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * Returns what a reader would see of a screen with these words. For training: it costs a few milliseconds where
 * reading the pixels costs a tenth of a second or more.
 *
 * @param size of the screen in px
 * @param noise default: estimates for PP-OCR; `noReadingNoise` reads exactly
 */
export function simulatedReading(
  words: readonly Word[],
  size: Size,
  random: Random,
  noise: ReadingNoise = defaultReadingNoise,
): Reading {
  const lines = wordLines(words, random, noise.misjudgedGaps).flatMap((line): TextLine[] => {
    const characters = charactersOf(line).flatMap(({ text, centre }) =>
      misread(text, random, noise).map((read) => ({ text: read, centre })),
    );
    const box = boxOf(line, size, random, noise.looseBoxes);
    const text = characters.map((character) => character.text).join('');
    if (random.chance(noise.lostLines) || text.trim() === '') return [];
    return [{ text, box, centres: characters.map(({ centre }) => round(centre)) }];
  });
  return { reader: simulatedReader, lines };
}

function charactersOf(line: readonly Word[]): { text: string; centre: number }[] {
  return line.flatMap((word, index) => {
    const { edges } = word;
    const characters = [...word.text].map((text, place) => ({
      text,
      centre: ((edges[place] ?? 0) + (edges[place + 1] ?? 0)) / 2,
    }));
    const before = line[index - 1];
    if (!before || !isSpaced(before, word)) return characters;
    return [{ text: ' ', centre: (rightOf(before) + leftOf(word)) / 2 }, ...characters];
  });
}

function boxOf(line: readonly Word[], { width, height }: Size, random: Random, looseness: number): PixelBox {
  const lineHeight = lineEm * Math.max(...line.map(({ fontSize }) => fontSize));
  const share = margin * (1 + looseness * (random.next() - 0.5));
  const middles = line.map(middleOf);
  const left = Math.max(0, Math.min(...line.map(leftOf)) - share * lineHeight);
  const right = Math.min(width, Math.max(...line.map(rightOf)) + share * lineHeight);
  const top = Math.max(0, Math.min(...middles) - (0.5 + share / 2) * lineHeight);
  const bottom = Math.min(height, Math.max(...middles) + (0.5 + share / 2) * lineHeight);
  return { x: round(left), y: round(top), width: round(right - left), height: round(bottom - top) };
}
