import type { Split } from '@gyre/protocol';
import { Random } from '../../family/random.js';
import { type Entity, type Kind, type KindPlan, kindNames, kinds } from './entity.js';
import { buildLand } from './land.js';
import { buildInstitutions } from './institutions.js';
import { Names } from '../names/names.js';
import { buildPeople } from './people.js';
import { type Relation, relations } from './relation.js';
import { buildWorks } from './works.js';
import { Builder } from './builder.js';

export interface Reference {
  readonly from: Entity;
  readonly relation: Relation;
}

/** About 2,400 fictional entities. The same in Node and in a page. */
export class World {
  readonly split: Split;
  readonly number: number;
  readonly title: string;
  readonly entities: readonly Entity[];
  readonly #byKind = new Map<Kind, Entity[]>();
  #references: Reference[][] | undefined;

  constructor(split: Split, number: number) {
    this.split = split;
    this.number = number;
    const random = new Random(`world/${split}/${number}`);
    const names = new Names(random, split);
    const builder = new Builder(random, names);
    buildLand(builder);
    buildPeople(builder);
    buildInstitutions(builder);
    buildWorks(builder);
    this.title = names.word(random.pick(names.cultures), 'thing');
    this.entities = builder.entities;
    for (const kind of kindNames) this.#byKind.set(kind, []);
    for (const entity of this.entities) this.#byKind.get(entity.kind)?.push(entity);
  }

  ofKind(kind: Kind): readonly Entity[] {
    return this.#byKind.get(kind) ?? [];
  }

  entity(id: number): Entity {
    const entity = this.entities[id];
    if (!entity) throw new Error(`the world has no entity ${id}`);
    return entity;
  }

  named(entity: Entity, relation: Relation): Entity | undefined {
    const fact = entity.facts[relation];
    return typeof fact === 'number' && relations[relation].value === 'entity' ? this.entities[fact] : undefined;
  }

  plan(entity: Entity): KindPlan {
    return kinds[entity.kind];
  }

  countryOf(entity: Entity): Entity | undefined {
    let place: Entity | undefined = entity;
    for (let step = 0; place && place.kind !== 'country' && step < 5; step++) {
      const { facts }: Entity = place;
      const next: Relation | undefined = upwards.find((relation) => facts[relation] !== undefined);
      place = next && this.named(place, next);
    }
    return place?.kind === 'country' ? place : undefined;
  }

  references(entity: Entity): readonly Reference[] {
    if (!this.#references) {
      const byTarget: Reference[][] = this.entities.map(() => []);
      for (const from of this.entities) {
        for (const [relation, fact] of Object.entries(from.facts) as [Relation, number][]) {
          if (relations[relation].value === 'entity') byTarget[fact]?.push({ from, relation });
        }
      }
      this.#references = byTarget;
    }
    return this.#references[entity.id] ?? [];
  }
}

/** Relations from a thing to its place, by priority. */
const upwards: readonly Relation[] = ['country', 'region', 'lake', 'town', 'birthplace'];
