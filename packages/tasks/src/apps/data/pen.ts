import type { Split } from '@gyre/protocol';
import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { drawOwned, drawString } from '../../family/split.js';
import { dayAfter } from './day.js';
import { type Language, type WordKind, lexicon, notes } from './lexicon.js';

/** Writes the data of an app: words, names and numbers that belong to one split. What it gives of a kind is never given twice. */
export class Pen {
  readonly #given = new Set<string>();

  constructor(
    readonly random: Random,
    readonly split: Split,
    readonly language: Language,
  ) {}

  /** Draws until something comes that was not given before. */
  fresh(draw: () => string): string {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const text = draw();
      if (this.#given.has(text)) continue;
      this.#given.add(text);
      return text;
    }
    throw new Error(`${this.split} has no more words of this kind: give it more in the lexicon`);
  }

  word(kind: WordKind): string {
    return this.random.pick(lexicon[this.language][kind][this.split]);
  }

  /** A word of a kind, new each time. */
  newWord(kind: WordKind): string {
    return this.fresh(() => this.word(kind));
  }

  /** `Alice Barnes`, `王芳`. */
  person(): string {
    return this.fresh(() =>
      this.language === 'en' ? `${this.word('first')} ${this.word('last')}` : this.word('last') + this.word('first'),
    );
  }

  /** `Budget review`, `预算评审`. */
  topic(): string {
    return this.fresh(() => this.join(this.word('thing'), this.word('kind')));
  }

  /** `Coral Lamp`, `珊瑚台灯`. */
  product(): string {
    return this.fresh(() => this.join(this.word('quality'), this.word('good')));
  }

  /** `12 Maple Street`, `枫叶路12号`. */
  address(): string {
    const number = this.number(2, 98);
    return this.fresh(() =>
      this.language === 'en' ? `${number} ${this.word('street')} Street` : `${this.word('street')}路${number}号`,
    );
  }

  /** A short message about some subject. */
  note(): string {
    return this.fresh(() => {
      const topic = this.join(this.word('thing'), this.word('kind'));
      const wording = this.random.pick(notes[this.language]);
      return fillWording(wording, { topic: this.language === 'en' ? topic.toLowerCase() : topic });
    });
  }

  /** A whole number of the split, from `first` to `last`. */
  number(first: number, last: number): number {
    return drawOwned(
      this.split,
      () => this.random.between(first, last),
      (drawn) => `app/number/${drawn}`,
    );
  }

  /** A price in hundredths of the currency, of the split: 4.50 to 200. */
  price(): number {
    return drawOwned(
      this.split,
      () => this.random.between(9, 400) * 50,
      (drawn) => `app/price/${drawn}`,
    );
  }

  /** A string of digits, of the split. */
  digits(length: number): string {
    return drawString(this.split, () => {
      let text = String(this.random.between(1, 9));
      while (text.length < length) text += String(this.random.between(0, 9));
      return text;
    });
  }

  /** `alice.barnes@mail.example`, from a name in either language. */
  handle(): string {
    const latin = lexicon.en;
    return this.fresh(() => {
      const first = this.random.pick(latin.first[this.split]).toLowerCase();
      return `${first}${this.random.chance(0.5) ? '.' : '_'}${this.random.pick(latin.last[this.split]).toLowerCase()}`;
    });
  }

  /** A day as `2026-03-09`, within some days from `from`. */
  day(from: string, least: number, most: number): string {
    return dayAfter(from, this.random.between(least, most));
  }

  private join(first: string, second: string): string {
    return this.language === 'en' ? `${first} ${second}` : first + second;
  }
}
