import type { PixelBox, Reading, Size, TextLine } from '@gyre/protocol';
import type { Random } from '../family/random.js';
import { type ReadingNoise, misread } from './noise.js';
import { ownNoise } from './readerNoise.js';
import type { Word } from './word.js';
import { type LineCharacter, charactersOf, leftOf, middleOf, randomOf, rightOf, wordLines } from './wordLines.js';

/** Name of the reader in its readings. */
export const simulatedReader = 'simulated';

const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * Returns what a reader would see of a screen with these words. For training: it costs a few milliseconds where
 * reading the pixels costs a tenth of a second or more. As with a reader that remembers lines, the same line at the same
 * place has the same errors.
 *
 * @param size of the screen in px
 * @param seed of the errors
 * @param noise default: that of gyre's own reader; `noReadingNoise` reads exactly
 */
export function simulatedReading(
  words: readonly Word[],
  size: Size,
  seed: string,
  noise: ReadingNoise = ownNoise,
): Reading {
  const lines = wordLines(words, noise, seed).flatMap((line): TextLine[] => {
    const random = randomOf(line, seed);
    const characters = trimmed(misreadLine(charactersOf(line), noise, random));
    const box = boxOf(line, size, noise, random);
    if (random.chance(noise.lostLines) || characters.length === 0) return [];
    const text = characters.map((character) => character.text).join('');
    return [{ text, box, centres: characters.map(({ centre }) => round(centre)) }];
  });
  return { reader: simulatedReader, lines };
}

function misreadLine(characters: readonly LineCharacter[], noise: ReadingNoise, random: Random): LineCharacter[] {
  return characters.flatMap(({ text, centre }, index) => {
    if (text === ' ') return random.chance(noise.lostSpaces) ? [] : [{ text, centre }];
    const read = misread(text, noise, random).map((character) => ({ text: character, centre }));
    const next = characters[index + 1];
    if (!next || next.text === ' ' || !random.chance(noise.addedSpaces)) return read;
    return [...read, { text: ' ', centre: (centre + next.centre) / 2 }];
  });
}

function trimmed(characters: readonly LineCharacter[]): readonly LineCharacter[] {
  const isInk = ({ text }: LineCharacter): boolean => text !== ' ';
  return characters.slice(Math.max(0, characters.findIndex(isInk)), characters.findLastIndex(isInk) + 1);
}

function boxOf(line: readonly Word[], size: Size, noise: ReadingNoise, random: Random): PixelBox {
  const { boxHeight, boxMargin, boxJitter } = noise;
  const em = Math.max(...line.map(({ fontSize }) => fontSize));
  const middles = line.map(middleOf);
  // Uniform with the standard deviation of the jitter.
  const reach = (mean: number): number => em * Math.max(0, mean + Math.sqrt(3) * boxJitter * (2 * random.next() - 1));
  const left = Math.max(0, Math.min(...line.map(leftOf)) - reach(boxMargin));
  const right = Math.min(size.width, Math.max(...line.map(rightOf)) + reach(boxMargin));
  const top = Math.max(0, Math.min(...middles) - reach(boxHeight / 2));
  const bottom = Math.min(size.height, Math.max(...middles) + reach(boxHeight / 2));
  return { x: round(left), y: round(top), width: round(right - left), height: round(bottom - top) };
}
