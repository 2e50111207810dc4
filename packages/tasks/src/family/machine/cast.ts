import type { Split } from '@gyre/protocol';
import { fillWording } from '../wording.js';
import { Random } from '../random.js';
import { drawLetters, drawOwned } from '../split.js';
import { words } from '../screen/words.js';

/** Wordings of a task; `test` alone uses the held-out ones. */
export interface Wordings {
  readonly both: readonly string[];
  readonly heldOut: readonly string[];
}

/** Words with a meaning in commands, dates or formulas. */
const misleading: ReadonlySet<string> = new Set(
  'sum max min count date day time true false test note total file folder list done'.split(' '),
);

/** Draws a task's words, names, numbers and texts, each unique and owned by its split. */
export class Cast {
  readonly random: Random;
  readonly owned: string[] = [];
  readonly #words: string[];

  constructor(
    readonly family: string,
    readonly split: Split,
    readonly seed: number,
  ) {
    this.random = new Random(`${family}/${split}/${seed}`);
    const known = words[split].filter((word) => word.length >= 3 && !misleading.has(word));
    this.#words = this.random.shuffle(known);
  }

  /** Draws a lower-case word, never a prefix of another: autocompletion and searches would confuse them. */
  word(): string {
    for (;;) {
      const word = this.#words.pop();
      if (word === undefined) throw new RangeError(`${this.family} has no more words in the split ${this.split}`);
      if (this.owned.some((other) => other.toLowerCase().includes(word) || word.includes(other.toLowerCase())))
        continue;
      this.owned.push(word);
      return word;
    }
  }

  words(count: number): string[] {
    return Array.from({ length: count }, () => this.word());
  }

  /** Draws a capitalised name of a person, product or place. */
  name(): string {
    return capital(this.word());
  }

  names(count: number): string[] {
    return Array.from({ length: count }, () => this.name());
  }

  /** Draws three to six letters that form no word. */
  letters(): string {
    return this.#once(() => drawLetters(this.random, this.split));
  }

  /** Draws an integer from at least fifty: `dev` owns a tenth of all numbers. */
  number(first: number, last: number): number {
    const draw = () =>
      drawOwned(
        this.split,
        () => this.random.between(first, last),
        (drawn) => `machine/number/${drawn}`,
      );
    return Number(this.#once(() => String(draw())));
  }

  numbers(count: number, first: number, last: number): number[] {
    return Array.from({ length: count }, () => this.number(first, last));
  }

  between(first: number, last: number): number {
    return this.random.between(first, last);
  }

  pick<T>(items: readonly T[]): T {
    return this.random.pick(items);
  }

  shuffle<T>(items: readonly T[]): T[] {
    return this.random.shuffle(items);
  }

  /** Picks a wording and fills in its `{slots}`. */
  say({ both, heldOut }: Wordings, slots: Readonly<Record<string, string | number>> = {}): string {
    const wording = this.split === 'test' && this.random.chance(0.5) ? this.pick(heldOut) : this.pick(both);
    return fillWording(wording, slots);
  }

  #once(draw: () => string): string {
    for (;;) {
      const drawn = draw();
      if (this.owned.includes(drawn)) continue;
      this.owned.push(drawn);
      return drawn;
    }
  }
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
