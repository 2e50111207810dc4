import type { TextLine } from '@gyre/protocol';
import type { Word } from './word.js';
import { leftOf, middleOf, rightOf } from './wordLines.js';

/** Words of a page by the line of a reading that shows them. */
export interface MatchedWords {
  /** From left to right. */
  readonly lines: ReadonlyMap<TextLine, readonly Word[]>;
  readonly lost: readonly Word[];
}

/** Assigns each word to the line whose box has the word's middle in it; among several, to the vertically closest. */
export function matchWords(words: readonly Word[], lines: readonly TextLine[]): MatchedWords {
  const matched = new Map<TextLine, Word[]>();
  const lost: Word[] = [];
  for (const word of words.toSorted((a, b) => leftOf(a) - leftOf(b))) {
    const line = lineOf(word, lines);
    if (line) matched.set(line, [...(matched.get(line) ?? []), word]);
    else lost.push(word);
  }
  return { lines: matched, lost };
}

/** Returns undefined for a word that no line shows. */
function lineOf(word: Word, lines: readonly TextLine[]): TextLine | undefined {
  const [x, y] = [(leftOf(word) + rightOf(word)) / 2, middleOf(word)];
  const distance = ({ box }: TextLine): number => Math.abs(box.y + box.height / 2 - y);
  return lines
    .filter(({ box }) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height)
    .toSorted((a, b) => distance(a) - distance(b))[0];
}
