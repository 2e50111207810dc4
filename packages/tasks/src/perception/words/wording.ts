import type { Split } from '@gyre/protocol';
import { hanzi } from '@gyre/engine';
import type { Random } from '../../family/random.js';
import { drawOwned, drawString, splitOf } from '../../family/split.js';
import { words } from '../../family/screen/words.js';
import { wordsZh } from './wordsZh.js';

export type Language = 'en' | 'zh';

const lower = 'abcdefghijklmnopqrstuvwxyz';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const marks = "!#$%&'()*+,-./:;<=>?@[]^_`{|}~\\";
const characters = [...hanzi];
const knownZh = new Set(Object.values(wordsZh).flat());

const title = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Estimates a text's width, in em of a plain sans. */
export function ems(text: string): number {
  let sum = 0;
  for (const char of text) {
    if (char > '~') sum += 1;
    else if (" ilj.,:;'|!I".includes(char)) sum += 0.32;
    else if ('ftr()[]{}/-"`'.includes(char)) sum += 0.42;
    else if ('mwMW@%'.includes(char)) sum += 0.95;
    else if (char >= 'A' && char <= 'Z') sum += 0.72;
    else sum += 0.6;
  }
  return sum;
}

/** Unique words of one split and language, without double quotes. */
export class Wording {
  readonly #random: Random;
  readonly #breadth: number;

  readonly #used = new Set<string>();

  constructor(
    random: Random,
    readonly split: Split,
    readonly language: Language,
    breadth: number,
  ) {
    this.#random = random;
    this.#breadth = breadth;
  }

  /** Draws a unique label of at most `room` em. */
  label(room: number): string {
    return this.#fresh(room, () =>
      this.language === 'zh' && this.#random.chance(0.88) ? this.#drawZh() : this.#drawEn(),
    );
  }

  word(room: number): string {
    return this.#fresh(room, () => {
      if (this.language === 'zh')
        return this.#random.chance(0.5) ? this.#random.pick(wordsZh[this.split]) : this.#hans();
      return this.#cased(this.#random.chance(0.5) ? this.#random.pick(words[this.split]) : this.#letters());
    });
  }

  /** Differs in one letter or word. */
  nearMiss(label: string, room: number): string {
    return this.#fresh(room, () => this.#twist(label), 12);
  }

  sentence(mention?: string): string {
    const random = this.#random;
    const named = mention ?? this.#token();
    const [a, b] = [this.#token(), this.#token()];
    return this.language === 'zh'
      ? random.pick([
          `请点击${named}以${a}`,
          `${a}和${b}已${named}`,
          `没有${named}的${a}`,
          `${a}: ${b}`,
          `按${named}可以${a}`,
        ])
      : random.pick([
          `Press ${named} to ${a}`,
          `The ${a} of ${b} is ${named}`,
          `${title(a)} and ${b}, then ${named}.`,
          `No ${a} in ${named} yet`,
          `Use ${named} for ${a} (${b})`,
          `${title(a)}: ${b}; ${named}`,
          `${named} - ${a}/${b}`,
        ]);
  }

  value(room: number): string {
    const random = this.#random;
    return this.#fresh(room, () => {
      if (this.language === 'zh' && random.chance(0.5)) return this.#drawZh();
      if (random.chance(0.45)) return this.#letters();
      if (random.chance(0.3)) return this.#digits(random.between(1, 8));
      return this.#drawEn();
    });
  }

  #token(): string {
    if (this.language === 'zh') return this.#random.chance(0.6) ? this.#random.pick(wordsZh[this.split]) : this.#hans();
    return this.#random.chance(0.6) ? this.#random.pick(words[this.split]) : this.#letters();
  }

  /** Truncates a text in the end. */
  #fresh(room: number, draw: () => string, attempts = 30): string {
    let text = '';
    for (let attempt = 0; attempt < attempts + 200; attempt++) {
      text = attempt < attempts ? draw() : this.#short(attempt - attempts);
      if (ems(text) * this.#breadth * 1.04 > room && attempt < attempts + 100) continue;
      const key = text.toLowerCase();
      if (this.#used.has(key)) continue;
      this.#used.add(key);
      return text;
    }
    return text;
  }

  #short(attempt: number): string {
    const maxLetters = Math.max(1, 3 - Math.floor(attempt / 20));
    return this.language === 'zh' ? this.#hans(1, maxLetters) : this.#letters(1, maxLetters);
  }

  #drawEn(): string {
    const random = this.#random;
    const share = random.next();
    if (share < 0.46) return this.#strings();
    if (share < 0.84) return this.#phrase();
    return this.#special();
  }

  #strings(): string {
    const random = this.#random;
    const casedLetters = () => this.#cased(this.#letters());
    const share = random.next();
    if (share < 0.72) return casedLetters();
    if (share < 0.86) return `${casedLetters()} ${casedLetters()}`;
    const mark = () => random.pick([...marks]);
    return random.pick([
      () => `${casedLetters()}${mark()}`,
      () => `${casedLetters()}${mark()}${this.#digits(2)}`,
      () => `${mark()}${casedLetters()}`,
      () => `${this.#letters(2, 4)}${mark()}${this.#letters(2, 4)}`,
    ])();
  }

  #phrase(): string {
    const random = this.#random;
    const count = random.pick([1, 1, 1, 1, 2, 2, 3]);
    const drawn = Array.from({ length: count }, () => random.pick(words[this.split]));
    const share = random.next();
    if (share < 0.35) return drawn.join(' ');
    if (share < 0.62) return drawn.map(title).join(' ');
    if (share < 0.87) return title(drawn.join(' '));
    return drawn.join(' ').toUpperCase();
  }

  #special(): string {
    return drawOwned(
      this.split,
      () => this.#anySpecial(),
      (text) => `string/${text}`,
    );
  }

  #anySpecial(): string {
    const random = this.#random;
    const word = () => random.pick(words[this.split]);
    const day = random.between(1, 28);
    const month = random.between(1, 12);
    const year = random.between(1998, 2031);
    const two = (n: number) => String(n).padStart(2, '0');
    return random.pick([
      () => `${year}-${two(month)}-${two(day)}`,
      () => `${day} ${months[month - 1]}`,
      () => `${months[month - 1]} ${day}, ${year}`,
      () => `${two(day)}/${two(month)}/${year}`,
      () => `$${random.between(1, 999)}.${two(random.between(0, 99))}`,
      () => `${random.between(1, 99)},${this.#digits(3)}.00`,
      () => `${random.between(0, 100)}%`,
      () => `${random.between(0, 23)}:${two(random.between(0, 59))}`,
      () => `${word()}@${word()}.${random.pick(['com', 'org', 'net', 'io'])}`,
      () => `${word()}.${random.pick(['txt', 'pdf', 'png', 'zip', 'doc', 'csv', 'js', 'md'])}`,
      () => `${word()}_${word()}.${random.pick(['txt', 'pdf', 'png', 'ts'])}`,
      () => `${random.pick(['Ctrl', 'Alt', 'Shift', 'Ctrl+Shift'])}+${random.pick([...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'])}`,
      () => `v${random.between(0, 9)}.${random.between(0, 20)}.${random.between(0, 9)}`,
      () => `${this.#digits(3)}-${this.#digits(4)}`,
      () => `#${this.#digits(4)}`,
      () => `/${word()}/${word()}`,
      () => `${title(word())} & ${title(word())}`,
      () => `${title(word())}?`,
      () => `${title(word())} (${random.between(1, 99)})`,
      () => `${random.between(1, 9)} / ${random.between(10, 99)}`,
      () => `${random.between(1, 900)} ${random.pick(['GB', 'MB', 'km', 'kg', 'px', 'ms'])}`,
      () => `+${random.between(1, 99)}`,
      () => `${title(word())}: ${word()}`,
      () => `${word()} = ${random.between(0, 99)}`,
      () => `[${word()}]`,
      () => `<${word()}>`,
    ])();
  }

  #drawZh(): string {
    const random = this.#random;
    const share = random.next();
    if (share < 0.46) return this.#hans();
    const word = () => random.pick(wordsZh[this.split]);
    if (share < 0.8) return word();
    if (share < 0.9) {
      const both = `${word()}${word()}`;
      return knownZh.has(both) ? word() : both;
    }
    return random.pick([
      () => `${random.between(1, 12)}月${random.between(1, 28)}日`,
      () => `第${random.between(1, 99)}页`,
      () => `共${random.between(1, 999)}项`,
      () => `${random.between(1, 999)}元`,
      () => `${word()} (${random.between(1, 99)})`,
      () => `${word()}: ${random.between(0, 100)}%`,
      () => `${word()}${random.between(1, 9)}`,
      () => `${word()} ${this.#letters(2, 4).toUpperCase()}`,
      () => `${random.between(1, 59)}分钟`,
      () => `${word()}/${word()}`,
    ])();
  }

  /** Draws characters; a single one belongs to no split. */
  #hans(min = 1, max = 5): string {
    for (;;) {
      const drawn = Array.from({ length: this.#random.between(min, max) }, () => this.#random.pick(characters));
      const text = drawn.join('');
      if (knownZh.has(text) || (drawn.length > 1 && splitOf(`string/${text}`) !== this.split)) continue;
      return text;
    }
  }

  #letters(min = 2, max = 8): string {
    const random = this.#random;
    const alphabet = random.chance(0.2) ? `${lower}0123456789` : lower;
    const draw = () => Array.from({ length: random.between(min, max) }, () => random.pick([...alphabet])).join('');
    return max < 2 ? draw() : drawString(this.split, draw);
  }

  #digits(count: number): string {
    return Array.from({ length: count }, () => this.#random.between(0, 9)).join('');
  }

  #cased(word: string): string {
    const share = this.#random.next();
    if (share < 0.45) return word;
    if (share < 0.72) return title(word);
    if (share < 0.92) return word.toUpperCase();
    return [...word].map((char) => (this.#random.chance(0.5) ? char.toUpperCase() : char)).join('');
  }

  #twist(label: string): string {
    const random = this.#random;
    const letters = [...label];
    const position = random.between(0, letters.length - 1);
    const char = letters[position] ?? '';
    if (char > '~')
      return random.chance(0.5)
        ? label + random.pick(characters)
        : letters.with(position, random.pick(characters)).join('');
    const replacement =
      char >= 'A' && char <= 'Z'
        ? random.pick([...lower]).toUpperCase()
        : /\d/.test(char)
          ? this.#digits(1)
          : random.pick([...lower]);
    const twisted = random.pick([
      () => letters.with(position, replacement).join(''),
      () => letters.with(position, replacement).join(''),
      () => letters.toSpliced(position, 0, replacement).join(''),
      () => letters.toSpliced(position, 1).join(''),
      () => `${label} ${random.pick(words[this.split])}`,
    ])();
    // Must not turn into another split's word.
    const owned = twisted
      .toLowerCase()
      .split(/[^a-z]+/)
      .every((part) => part === '' || this.#mayShow(part));
    return owned && twisted.trim() === twisted && twisted !== '' ? twisted : this.#drawEn();
  }

  #mayShow(word: string): boolean {
    return words[this.split].includes(word) || !Object.values(words).some((all) => all.includes(word));
  }
}
