import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import { drawLetters, drawString } from '../../family/split.js';
import { words } from '../../family/screen/words.js';
import { type Font, widthOf } from './font.js';

/** Thrown when no label fits; `widgetFamily` catches it and redraws the screen. */
export class LabelMisfit extends Error {}

const cases = ['lower', 'lower', 'title', 'title', 'upper', 'mixed'] as const;
type Case = (typeof cases)[number];

/** Labels of one screen are distinct and need no escaping. */
export class Labels {
  readonly #random: Random;
  readonly #split: Split;
  readonly #font: Font;
  readonly #case: Case;
  readonly #given: string[] = [];
  readonly #usedWords = new Set<string>();

  constructor(random: Random, split: Split, font: Font) {
    this.#random = random;
    this.#split = split;
    this.#font = font;
    this.#case = random.pick(cases);
  }

  /** Throws `LabelMisfit`. */
  next(width = 160): string {
    for (let attempt = 0; attempt < 60; attempt++) {
      const early = attempt < 20;
      const like = early && this.#given.length > 0 && this.#random.chance(0.3);
      const text = like ? this.#near(this.#random.pick(this.#given)) : this.#draw(early);
      const taken = this.#take(text, width);
      if (taken !== undefined) return taken;
    }
    const short = words[this.#split].filter((word) => word.length <= 4);
    for (const word of this.#random.shuffle(short)) {
      const taken = this.#take(word, width);
      if (taken !== undefined) return taken;
    }
    throw new LabelMisfit(`no label of ${width} px is left`);
  }

  /** Returns a label easily confused with another. Throws `LabelMisfit`. */
  like(label: string, width = 160): string {
    for (let attempt = 0; attempt < 40; attempt++) {
      const taken = this.#take(this.#near(label.toLowerCase()), width);
      if (taken !== undefined) return taken;
    }
    return this.next(width);
  }

  several(count: number, width = 160): string[] {
    return Array.from({ length: count }, () => this.next(width));
  }

  text(): string {
    for (;;) {
      const letters = this.#random.chance(0.6);
      const text = letters ? drawLetters(this.#random, this.#split) : this.#random.pick(words[this.#split]);
      const whole = this.#random.chance(0.2) ? `${text}${this.#random.between(1, 99)}` : text;
      if (this.#given.includes(whole)) continue;
      this.#given.push(whole);
      this.#usedWords.add(text);
      return whole;
    }
  }

  /** Returns a word that is never a label; it may recur. */
  filler(): string {
    for (;;) {
      const word = this.#random.pick(words[this.#split]);
      if (!this.#usedWords.has(word)) return this.#dress(word);
    }
  }

  #take(text: string, width: number): string | undefined {
    const dressed = this.#dress(text);
    if (this.#given.includes(text) || widthOf(dressed, this.#font) > width) return undefined;
    this.#given.push(text);
    for (const word of text.split(' ')) this.#usedWords.add(word);
    return dressed;
  }

  #draw(long: boolean): string {
    const random = this.#random;
    const word = random.pick(words[this.#split]);
    const kind = random.next();
    if (kind < (this.#split === 'train' ? 0.2 : 0.05)) return drawLetters(random, this.#split);
    if (long && kind > 0.8) return `${word} ${random.pick(words[this.#split])}`;
    if (long && kind > 0.7) return `${word} ${random.between(1, 99)}`;
    return word;
  }

  #near(label: string): string {
    const random = this.#random;
    const [first = '', second] = label.split(' ');
    if (second === undefined) {
      if (words[this.#split].includes(first)) {
        return random.chance(0.5) ? `${first} ${random.between(1, 9)}` : `${first} ${random.pick(words[this.#split])}`;
      }
      const letter = () => random.pick([...'abcdefghijklmnopqrstuvwxyz']);
      let tries = 0;
      return drawString(this.#split, () => {
        // A short string may have no neighbour in the split.
        if (tries++ > 40) return letter() + letter() + letter() + letter() + letter();
        const place = random.between(0, first.length - 1);
        return first.slice(0, place) + letter() + first.slice(place + 1);
      });
    }
    if (/^\d+$/.test(second)) return `${first} ${random.between(1, 99)}`;
    return random.chance(0.5)
      ? `${first} ${random.pick(words[this.#split])}`
      : `${random.pick(words[this.#split])} ${second}`;
  }

  #dress(text: string): string {
    const style = this.#case === 'mixed' ? this.#random.pick(['lower', 'title', 'upper'] as const) : this.#case;
    if (style === 'lower') return text;
    return style === 'upper' ? text.toUpperCase() : text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  }
}
