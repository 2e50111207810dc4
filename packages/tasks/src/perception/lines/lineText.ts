import type { Split } from '@gyre/protocol';
import { hanzi } from '@gyre/engine';
import type { Random } from '../../family/random.js';
import { Wording } from '../words/wording.js';

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const capitals = letters.map((letter) => letter.toUpperCase());
const digits = [...'0123456789'];
const common = [...hanzi];
/** Letters that are often mistaken for each other. */
const lookAlikes = [...'Il1i|!tfjJO0oQDCGS5sZ2zB8cCeEgq9yvVwWuUxXkKpPmnrh'];

/** Draws the text of single lines, in which each of the reader's characters occurs. */
export class LineText {
  readonly #random: Random;
  readonly #han: readonly string[];
  readonly #signs: readonly string[];
  readonly #split: Split;

  constructor(random: Random, split: Split, characters: readonly string[]) {
    this.#random = random;
    this.#split = split;
    this.#han = characters.filter((char) => /\p{Script=Han}/u.test(char));
    this.#signs = characters.filter((char) => !/[\p{Script=Han}\s]/u.test(char));
  }

  english(): string {
    const random = this.#random;
    const share = random.next();
    if (share < 0.3) return this.#wording('en').label(24);
    if (share < 0.38) return this.#wording('en').sentence();
    if (share < 0.58) return this.#words(random.between(1, 7));
    if (share < 0.72) return this.#numbers();
    if (share < 0.84) return this.#row(() => random.pick(this.#signs), 1, 8);
    if (share < 0.92) return this.#row(() => random.pick(lookAlikes), 2, 9);
    return this.#address();
  }

  chinese(): string {
    const random = this.#random;
    const share = random.next();
    if (share < 0.15) return this.#wording('zh').label(16);
    if (share < 0.2) return this.#wording('zh').sentence();
    if (share < 0.85) return this.#clause();
    const name = this.#row(() => this.#hanzi(), 1, 6);
    return random.pick([
      () => `${name}（${this.#digits(1, 3)}）`,
      () => `${name}：${this.#numbers()}`,
      () => `${name} ${this.#word()}`,
      () => `${this.#word()}${name}`,
      () => `${this.#digits(1, 4)}${name}`,
      () => `“${name}”`,
      () => `${name}…`,
    ])();
  }

  /** Draws one digit or letter, as in calendars and on keys. */
  single(): string {
    const random = this.#random;
    return random.chance(0.7) ? this.#digits(1, 2) : random.pick([...letters, ...capitals]);
  }

  #wording(language: 'en' | 'zh'): Wording {
    return new Wording(this.#random, this.#split, language, 1);
  }

  #clause(): string {
    const random = this.#random;
    let text = '';
    const length = random.between(1, 14);
    while ([...text].length < length) {
      text += this.#hanzi();
      if (random.chance(0.06)) text += random.pick([...'，。、！？：；·（）《》【】“”—…']);
      if (random.chance(0.03)) text += this.#digits(1, 3);
    }
    return text;
  }

  #hanzi(): string {
    return this.#random.pick(this.#random.chance(0.4) ? common : this.#han);
  }

  #words(count: number): string {
    const random = this.#random;
    const between = random.pick([' ', ' ', ' ', ' ', ', ', '-', '/', ' & ', '_', ': ']);
    const drawn = Array.from({ length: count }, () => this.#word());
    const text = drawn.join(count > 3 ? ' ' : between);
    return text + random.pick(['', '', '', '', '.', '?', '!', ':', '…', '...', ',', ' *']);
  }

  #word(): string {
    const random = this.#random;
    const vowels = [...'aeiouaeiouy'];
    const length = random.between(2, 9);
    let text = '';
    for (let index = 0; index < length; index++) {
      const soft = random.chance(0.25) ? random.chance(0.5) : index % 2 === 1;
      text += random.pick(soft ? vowels : letters);
    }
    const share = random.next();
    if (share < 0.5) return text;
    if (share < 0.8) return text.slice(0, 1).toUpperCase() + text.slice(1);
    return share < 0.93 ? text.toUpperCase() : text + this.#digits(1, 3);
  }

  #numbers(): string {
    const random = this.#random;
    const two = () => String(random.between(0, 59)).padStart(2, '0');
    return random.pick([
      () => this.#digits(1, 8),
      () => this.#row(() => this.#digits(1, 3), 2, 7, ' '),
      () => `${random.pick([...'$€£¥'])}${this.#digits(1, 4)}.${two()}`,
      () => `${this.#digits(1, 3)},${this.#digits(3, 3)}.${two()}`,
      () => `-${this.#digits(1, 3)}.${this.#digits(1, 2)}%`,
      () => `${two()}:${two()}${random.pick(['', ' AM', ' PM', `:${two()}`])}`,
      () => `20${two()}-${two()}-${two()}`,
      () => `${two()}/${two()}/20${two()}`,
      () => `+${this.#digits(2, 2)} ${this.#digits(3, 3)} ${this.#digits(4, 4)}`,
      () => `(${this.#digits(1, 3)})`,
      () => `#${this.#digits(3, 6)}`,
      () => `${this.#digits(1, 2)} / ${this.#digits(1, 3)}`,
      () => `${this.#digits(1, 3)}${random.pick(['%', 'px', ' GB', ' KB', '°', ' kg', 'h', ' min', 'x'])}`,
      () => `${this.#digits(1, 2)} × ${this.#digits(1, 2)} = ${this.#digits(1, 3)}`,
    ])();
  }

  #address(): string {
    const random = this.#random;
    const name = () => this.#word().toLowerCase();
    return random.pick([
      () => `${name()}@${name()}.${random.pick(['com', 'org', 'net', 'io', 'cn'])}`,
      () => `https://${name()}.${random.pick(['com', 'org', 'example'])}/${name()}`,
      () => `/${name()}/${name()}/${this.#word()}`,
      () => `${name()}.${random.pick(['txt', 'pdf', 'png', 'jpg', 'md', 'json', 'xlsx'])}`,
      () => `${name()}_${name()}(${name()}, ${this.#digits(1, 2)});`,
      () => `<${name()} ${name()}="${this.#digits(1, 3)}">`,
      () => `${random.pick(['Ctrl', 'Alt', 'Shift', 'Cmd'])}+${random.pick(capitals)}`,
    ])();
  }

  #digits(min: number, max: number): string {
    return this.#row(() => this.#random.pick(digits), min, max);
  }

  #row(draw: () => string, min: number, max: number, separator = ''): string {
    return Array.from({ length: this.#random.between(min, max) }, draw).join(separator);
  }
}
