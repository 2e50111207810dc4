import type { Split } from '@gyre/protocol';
import type { Random } from '../../family/random.js';
import { type Culture, type Named, cultures } from './cultures.js';
import { titleWords } from './titleWords.js';

export class Names {
  readonly #random: Random;
  readonly #split: Split;
  readonly #taken = new Set<string>();

  constructor(random: Random, split: Split) {
    this.#random = random;
    this.#split = split;
  }

  get cultures(): readonly Culture[] {
    return cultures[this.#split];
  }

  word(culture: Culture, named: Named): string {
    return this.#fresh((attempt) => this.#compose(culture, named, attempt));
  }

  person(culture: Culture, gender: 'f' | 'm'): string {
    const nameKind = gender === 'f' ? 'female' : 'male';
    return this.#fresh(
      (attempt) => `${this.#compose(culture, nameKind, attempt)} ${this.#compose(culture, 'family', attempt)}`,
    );
  }

  title(place: string): string {
    const random = this.#random;
    const { adjectives, nouns } = titleWords[this.#split];
    return this.#fresh((attempt) => {
      const noun = random.pick(nouns);
      switch (random.between(0, attempt > 3 ? 1 : 4)) {
        case 0:
          return `The ${noun} of ${place}`;
        case 1:
          return `${/^[AEIOU]/.test(noun) ? 'An' : 'A'} ${noun} in ${place}`;
        case 2:
          return `The ${random.pick(adjectives)} ${noun}`;
        case 3:
          return `${random.pick(adjectives)} ${noun}`;
        default:
          return `The ${noun} and the ${random.pick(nouns)}`;
      }
    });
  }

  #compose({ starts, middles, endings }: Culture, named: Named, attempt: number): string {
    const random = this.#random;
    const middle = attempt > 2 || random.chance(0.55) ? random.pick(middles) : '';
    const further = attempt > 6 ? random.pick(middles) : '';
    return random.pick(starts) + middle + further + random.pick(endings[named]);
  }

  #fresh(draw: (attempt: number) => string): string {
    for (let attempt = 0; ; attempt++) {
      const name = draw(attempt);
      if (this.#taken.has(name)) continue;
      this.#taken.add(name);
      return name;
    }
  }
}
