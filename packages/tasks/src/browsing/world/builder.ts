import type { Random } from '../../family/random.js';
import type { Culture } from '../names/cultures.js';
import type { Entity, Fact, Kind } from './entity.js';
import type { Names } from '../names/names.js';
import type { Relation } from './relation.js';

export interface Draft extends Entity {
  readonly facts: Partial<Record<Relation, Fact>>;
  readonly culture: Culture;
}

export class Builder {
  readonly random: Random;
  readonly names: Names;
  readonly entities: Draft[] = [];
  readonly #byKind = new Map<Kind, Draft[]>();

  constructor(random: Random, names: Names) {
    this.random = random;
    this.names = names;
  }

  add(kind: Kind, name: string, culture: Culture, facts: Partial<Record<Relation, Fact>>): Draft {
    const draft: Draft = { id: this.entities.length, kind, name, culture, facts };
    this.entities.push(draft);
    const list = this.#byKind.get(kind);
    if (list) list.push(draft);
    else this.#byKind.set(kind, [draft]);
    return draft;
  }

  ofKind(kind: Kind): readonly Draft[] {
    return this.#byKind.get(kind) ?? [];
  }

  any(kind: Kind): Draft {
    return this.random.pick(this.ofKind(kind));
  }

  find(list: readonly Draft[], fits: (draft: Draft) => boolean, tries = 12): Draft | undefined {
    if (list.length === 0) return undefined;
    for (let attempt = 0; attempt < tries; attempt++) {
      const draft = this.random.pick(list);
      if (fits(draft)) return draft;
    }
    return undefined;
  }

  /** Small numbers are more frequent; large ones are rounded. */
  number(min: number, max: number): number {
    const share = this.random.next();
    const value = Math.round(min + (max - min) * share * share);
    return value > 20_000 ? Math.round(value / 10) * 10 : value;
  }

  /** Returns a date as `yyyymmdd`. */
  date(year: number): number {
    return year * 10_000 + this.random.between(1, 12) * 100 + this.random.between(1, 28);
  }
}

export function yearOf(date: number): number {
  return Math.floor(date / 10_000);
}
