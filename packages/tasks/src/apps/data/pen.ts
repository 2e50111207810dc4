import type { Split } from '@gyre/protocol';
import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { drawOwned, drawString } from '../../family/split.js';
import { dayAfter } from './day.js';
import { type Language, type WordKind, lexicon, notes } from './lexicon.js';

/** Draws an app's data from the split's words, without repetition. */
export class Pen {
  readonly #given = new Set<string>();

  constructor(
    readonly random: Random,
    readonly split: Split,
    readonly language: Language,
  ) {}

  fresh(draw: () => string): string {
    for (let attempt = 0; attempt < 1000; attempt++) {
      const text = draw();
      if (this.#given.has(text)) continue;
      this.#given.add(text);
      return text;
    }
    throw new Error(`the split ${this.split} has no more words of this kind: add words to the lexicon`);
  }

  word(kind: WordKind): string {
    return this.random.pick(lexicon[this.language][kind][this.split]);
  }

  newWord(kind: WordKind): string {
    return this.fresh(() => this.word(kind));
  }

  /** `Alice Barnes` or `王芳`. */
  person(): string {
    return this.fresh(() =>
      this.language === 'en' ? `${this.word('first')} ${this.word('last')}` : this.word('last') + this.word('first'),
    );
  }

  /** `Budget review` or `预算评审`. */
  topic(): string {
    return this.fresh(() => this.#join(this.word('thing'), this.word('kind')));
  }

  /** `Coral Lamp` or `珊瑚台灯`. */
  product(): string {
    return this.fresh(() => this.#join(this.word('quality'), this.word('good')));
  }

  /** `12 Maple Street` or `枫叶路12号`. */
  address(): string {
    const number = this.number(2, 98);
    return this.fresh(() =>
      this.language === 'en' ? `${number} ${this.word('street')} Street` : `${this.word('street')}路${number}号`,
    );
  }

  note(): string {
    return this.fresh(() => {
      const topic = this.#join(this.word('thing'), this.word('kind'));
      const wording = this.random.pick(notes[this.language]);
      return fillWording(wording, { topic: this.language === 'en' ? topic.toLowerCase() : topic });
    });
  }

  number(first: number, last: number): number {
    return drawOwned(
      this.split,
      () => this.random.between(first, last),
      (drawn) => `app/number/${drawn}`,
    );
  }

  /** Returns hundredths of the currency. */
  price(): number {
    return drawOwned(
      this.split,
      () => this.random.between(9, 400) * 50,
      (drawn) => `app/price/${drawn}`,
    );
  }

  digits(length: number): string {
    return drawString(this.split, () => {
      let text = String(this.random.between(1, 9));
      while (text.length < length) text += String(this.random.between(0, 9));
      return text;
    });
  }

  /** `alice.barnes@mail.example`, also for Chinese names. */
  handle(): string {
    const latin = lexicon.en;
    return this.fresh(() => {
      const first = this.random.pick(latin.first[this.split]).toLowerCase();
      return `${first}${this.random.chance(0.5) ? '.' : '_'}${this.random.pick(latin.last[this.split]).toLowerCase()}`;
    });
  }

  /** Returns a day `min` to `max` days after `from`. */
  day(from: string, min: number, max: number): string {
    return dayAfter(from, this.random.between(min, max));
  }

  #join(first: string, second: string): string {
    return this.language === 'en' ? `${first} ${second}` : first + second;
  }
}
