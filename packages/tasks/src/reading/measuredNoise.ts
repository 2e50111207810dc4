import type { TextLine } from '@gyre/protocol';
import { alignment } from './edits.js';
import { foldedText } from './foldedText.js';
import { GapStatistics } from './gapStatistics.js';
import { matchWords } from './matchedWords.js';
import { type ReadingNoise, hasAlikeCase, lookAlikesOf } from './noise.js';
import type { Word } from './word.js';
import { charactersOf, gapBetween, leftOf, middleOf, rightOf, rowsOf, wordLines } from './wordLines.js';

/** Errors and the places where one was possible. */
export interface Rate {
  readonly errors: number;
  readonly chances: number;
}

const characterRates = ['lostSpaces', 'addedSpaces', 'wrongCharacters', 'swappedCases', 'confusedCharacters'] as const;
type CharacterRate = (typeof characterRates)[number];
export type NoiseRate = CharacterRate | 'lostLines' | 'misjudgedGaps';

/** Words of one line differ less in their vertical middles, in em; a box over two rows says nothing about characters. */
const largestDrift = 0.5;
/** A character that is farther from every word shows something else, such as an icon; in em. */
const stray = 0.3;

/** Measures the noise of a reader by the words of pages. */
export class NoiseMeter {
  readonly #gaps = new GapStatistics();
  readonly #lost: (readonly Word[])[] = [];
  #found = 0;
  readonly #counts = Object.fromEntries(characterRates.map((name) => [name, { errors: 0, chances: 0 }])) as Record<
    CharacterRate,
    { errors: number; chances: number }
  >;
  readonly #margins: number[] = [];
  readonly #halves: number[] = [];

  /** Compares the words of a page with a reading of it. */
  add(words: readonly Word[], lines: readonly TextLine[]): void {
    const { lines: matched, lost } = matchWords(words, lines);
    this.#lost.push(lost);
    this.#found += matched.size;
    const lineOf = new Map([...matched].flatMap(([line, members]) => members.map((word) => [word, line] as const)));
    for (const row of rowsOf(words)) {
      for (const [index, word] of row.entries()) {
        const before = row[index - 1];
        const gap = before && gapBetween(before, word);
        if (gap === undefined) continue;
        const [line, earlier] = [lineOf.get(word), lineOf.get(before!)];
        if (line ?? earlier) this.#gaps.add(gap, line === earlier);
      }
    }
    for (const [line, members] of matched) this.#addLine(line, members);
  }

  /** Returns the rates of errors; those of lines and gaps are estimates. */
  get rates(): Readonly<Record<NoiseRate, Rate>> {
    const { widestGap, misjudged } = this.#gaps.fit();
    const lost = this.#lost.flatMap((words) => wordLines(words, { widestGap, misjudgedGaps: 0 }, '')).length;
    const { wrongCharacters, swappedCases, confusedCharacters } = this.#counts;
    const others = swappedCases.errors + confusedCharacters.errors;
    return {
      ...this.#counts,
      lostLines: { errors: lost, chances: lost + this.#found },
      misjudgedGaps: misjudged,
      // A character has one error at most.
      wrongCharacters: { errors: wrongCharacters.errors, chances: wrongCharacters.chances - others },
    };
  }

  /** Returns the noise with which a simulated reader makes the same errors. */
  get noise(): ReadingNoise {
    const shares = Object.fromEntries(
      Object.entries(this.rates).map(([name, { errors, chances }]) => [name, rounded(errors / Math.max(1, chances))]),
    ) as Record<NoiseRate, number>;
    // Medians and quartiles: a box may show an icon beside the text.
    const [margin, half] = [quantile(this.#margins, 0.5), quantile(this.#halves, 0.5)];
    const off = [...this.#margins.map((value) => value - margin), ...this.#halves.map((value) => value - half)];
    const deviation = (quantile(off, 0.75) - quantile(off, 0.25)) / Math.sqrt(3);
    return {
      ...shares,
      widestGap: rounded(this.#gaps.fit().widestGap),
      boxHeight: rounded(2 * half),
      boxMargin: rounded(margin),
      boxJitter: rounded(deviation),
    };
  }

  #addLine(line: TextLine, words: readonly Word[]): void {
    if (words.some(({ clipped }) => clipped)) return;
    const em = Math.max(...words.map(({ fontSize }) => fontSize));
    const middles = words.map(middleOf);
    const [highest, lowest] = [Math.min(...middles), Math.max(...middles)];
    if (lowest - highest > largestDrift * em) return;
    const left = leftOf(words[0]!);
    const right = Math.max(...words.map(rightOf));
    const { x, y, width, height } = line.box;
    this.#margins.push((left - x) / em, (x + width - right) / em);
    this.#halves.push((highest - y) / em, (y + height - lowest) / em);
    const read = [...line.text].filter((character, index) => {
      const centre = line.centres[index]!;
      return (
        character === ' ' ||
        words.some((word) => centre > leftOf(word) - stray * em && centre < rightOf(word) + stray * em)
      );
    });
    this.#addCharacters(
      charactersOf(words).flatMap(({ text }) => [...foldedText(text)]),
      [...foldedText(read.join('').replaceAll(/ +/g, ' ').trim())],
    );
  }

  #addCharacters(truth: readonly string[], read: readonly string[]): void {
    const counts = this.#counts;
    for (const [index, character] of truth.entries()) {
      if (character === ' ') counts.lostSpaces.chances++;
      else {
        counts.wrongCharacters.chances++;
        if (hasAlikeCase(character)) counts.swappedCases.chances++;
        if (lookAlikesOf(character).length > 0) counts.confusedCharacters.chances++;
        if ((truth[index + 1] ?? ' ') !== ' ') counts.addedSpaces.chances++;
      }
    }
    for (const edit of alignment(truth, read)) {
      if (edit.truth !== edit.read) counts[kindOf(edit.truth, edit.read)].errors++;
    }
  }
}

function kindOf(truth: string, read: string): CharacterRate {
  if (truth === ' ') return 'lostSpaces';
  if (read === ' ') return 'addedSpaces';
  if (hasAlikeCase(truth) && truth.toLowerCase() === read.toLowerCase()) return 'swappedCases';
  return lookAlikesOf(truth).includes(read) ? 'confusedCharacters' : 'wrongCharacters';
}

/** Returns 0 without values. */
const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? 0;
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
