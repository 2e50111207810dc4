import { canonical } from '@gyre/engine';
import type { TextLine } from '@gyre/protocol';
import { type Word, foldedText, matchWords } from '@gyre/tasks';
import { type Share, wilson } from '../metrics/statistics.js';
import type { ReaderCost } from './timedReader.js';

/** Accuracy and cost of a reader on screens of one kind. */
export interface ReaderScores {
  readonly screens: number;
  /** Words with a letter or a digit, other than clipped ones and numbers of one or two digits. */
  readonly words: number;
  /** Share of the words whose middle lies in a line. */
  readonly detected: Share;
  /** Share of the words that stand in that line, regardless of spaces, full-width forms and typographic quotes. */
  readonly exact: Share;
  /** The same, regardless of case. */
  readonly caseless: Share;
  /** The same, regardless of case and characters that look alike. */
  readonly folded: Share;
  /** Numbers of one or two digits, and the share that is read exactly. */
  readonly numbers: number;
  readonly exactNumbers: Share;
  /** Mean number of lines per screen. */
  readonly lines: number;
  /** Medians of CPU time, in ms: of the detector per screen, of the recogniser per line that it read, of both per screen. */
  readonly detectorMs: number;
  readonly recogniserMs: number;
  readonly ms: number;
}

const comparisons = {
  exact: (text: string) => foldedText(text).replaceAll(/\s/gu, ''),
  caseless: (text: string) => foldedText(text).replaceAll(/\s/gu, '').toLowerCase(),
  folded: (text: string) => canonical(foldedText(text)),
} as const;
type Comparison = keyof typeof comparisons;

/** Adds up how screens were read. */
export class ReaderTally {
  readonly #right = { detected: 0, exact: 0, caseless: 0, folded: 0, numbers: 0 };
  readonly #costs: ReaderCost[] = [];
  #words = 0;
  #numbers = 0;
  #lines = 0;

  add(words: readonly Word[], lines: readonly TextLine[], cost: ReaderCost): void {
    this.#costs.push(cost);
    this.#lines += lines.length;
    const right = this.#right;
    const counted = words.filter(({ text, clipped }) => !clipped && /[\p{L}\p{N}]/u.test(text));
    const { lines: matched, lost } = matchWords(counted, lines);
    const matchedTexts = [...matched].flatMap(([line, members]) =>
      members.map(({ text }) => ({ text, line: line.text })),
    );
    for (const { text, line } of [...matchedTexts, ...lost.map((word) => ({ text: word.text, line: undefined }))]) {
      const matches = (comparison: Comparison): boolean =>
        line !== undefined && comparisons[comparison](line).includes(comparisons[comparison](text));
      if (/^\d{1,2}$/.test(text)) {
        this.#numbers++;
        if (matches('exact')) right.numbers++;
        continue;
      }
      this.#words++;
      if (line !== undefined) right.detected++;
      for (const comparison of Object.keys(comparisons) as Comparison[]) if (matches(comparison)) right[comparison]++;
    }
  }

  get screens(): number {
    return this.#costs.length;
  }

  get scores(): ReaderScores {
    const { detected, exact, caseless, folded, numbers } = this.#right;
    const costs = this.#costs;
    return {
      screens: costs.length,
      words: this.#words,
      detected: wilson(detected, this.#words),
      exact: wilson(exact, this.#words),
      caseless: wilson(caseless, this.#words),
      folded: wilson(folded, this.#words),
      numbers: this.#numbers,
      exactNumbers: wilson(numbers, this.#numbers),
      lines: this.#lines / Math.max(1, costs.length),
      detectorMs: median(costs.map(({ detectorMs }) => detectorMs)),
      recogniserMs: median(
        costs.flatMap(({ recogniserMs, recognised }) => (recognised ? [recogniserMs / recognised] : [])),
      ),
      ms: median(costs.map(({ detectorMs, recogniserMs }) => detectorMs + recogniserMs)),
    };
  }
}

/** Returns 0 without values. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
