import { fillWording } from '../../family/wording.js';
import type { Relation } from './relation.js';

/** An entity's number, a year, a date as `yyyymmdd`, a number, or a word, depending on the relation. */
export type Fact = number | string;
export type Facts = Readonly<Partial<Record<Relation, Fact>>>;

export interface Entity {
  readonly id: number;
  readonly kind: Kind;
  readonly name: string;
  readonly facts: Facts;
}

export type Grouping =
  | 'all'
  | 'country'
  | { readonly decade: Relation }
  | { readonly century: Relation }
  | { readonly word: Relation; readonly byCountry?: boolean };

export interface KindPlan {
  readonly one: string;
  readonly many: string;
  /** How questions refer to `{name}`; default: by the name alone. */
  readonly called?: string;
  /** Columns of its lists, besides the name. */
  readonly columns: readonly Relation[];
  /** How entities are grouped into lists. */
  readonly groups: Grouping;
}

const plans = {
  country: { one: 'country', many: 'countries', columns: ['capital', 'population', 'currency'], groups: 'all' },
  region: { one: 'region', many: 'regions', columns: ['country', 'side', 'area'], groups: 'all' },
  town: { one: 'town', many: 'towns', columns: ['region', 'founded', 'population'], groups: 'country' },
  river: {
    one: 'river',
    many: 'rivers',
    called: 'the river {name}',
    columns: ['region', 'length', 'mouth'],
    groups: 'country',
  },
  mountain: { one: 'mountain', many: 'mountains', columns: ['region', 'height', 'climbed'], groups: 'country' },
  lake: { one: 'lake', many: 'lakes', columns: ['region', 'area', 'depth'], groups: 'all' },
  island: { one: 'island', many: 'islands', columns: ['lake', 'area', 'population'], groups: 'all' },
  university: {
    one: 'university',
    many: 'universities',
    called: 'the {name}',
    columns: ['town', 'founded', 'students'],
    groups: 'all',
  },
  company: { one: 'company', many: 'companies', columns: ['town', 'founded', 'product'], groups: 'country' },
  museum: {
    one: 'museum',
    many: 'museums',
    called: 'the {name}',
    columns: ['town', 'opened', 'visitors'],
    groups: 'all',
  },
  newspaper: {
    one: 'newspaper',
    many: 'newspapers',
    called: 'the {name}',
    columns: ['town', 'founded', 'copies'],
    groups: 'all',
  },
  band: { one: 'band', many: 'bands', columns: ['town', 'formed', 'genre'], groups: { decade: 'formed' } },
  bridge: {
    one: 'bridge',
    many: 'bridges',
    called: 'the {name}',
    columns: ['crosses', 'opened', 'span'],
    groups: 'country',
  },
  prize: { one: 'prize', many: 'prizes', called: 'the {name}', columns: ['giver', 'awarded', 'field'], groups: 'all' },
  festival: {
    one: 'festival',
    many: 'festivals',
    called: 'the {name}',
    columns: ['town', 'founded', 'month'],
    groups: 'all',
  },
  book: {
    one: 'book',
    many: 'books',
    called: 'the book "{name}"',
    columns: ['author', 'published', 'genre'],
    groups: { decade: 'published' },
  },
  film: {
    one: 'film',
    many: 'films',
    called: 'the film "{name}"',
    columns: ['director', 'released', 'minutes'],
    groups: { decade: 'released' },
  },
  song: {
    one: 'song',
    many: 'songs',
    called: 'the song "{name}"',
    columns: ['performer', 'released', 'minutes'],
    groups: { decade: 'released' },
  },
  painting: {
    one: 'painting',
    many: 'paintings',
    called: 'the painting "{name}"',
    columns: ['painter', 'painted', 'museum'],
    groups: { century: 'painted' },
  },
  battle: {
    one: 'battle',
    many: 'battles',
    called: 'the {name}',
    columns: ['place', 'fought', 'victor'],
    groups: { century: 'fought' },
  },
  expedition: {
    one: 'expedition',
    many: 'expeditions',
    called: 'the {name}',
    columns: ['leader', 'setOut', 'members'],
    groups: { century: 'setOut' },
  },
  species: {
    one: 'species',
    many: 'species',
    called: 'the {name}',
    columns: ['habitat', 'described', 'describer'],
    groups: { word: 'type' },
  },
  person: {
    one: 'person',
    many: 'people',
    columns: ['born', 'birthplace', 'died'],
    groups: { word: 'profession', byCountry: true },
  },
} satisfies Record<string, KindPlan>;

export type Kind = keyof typeof plans;
export const kinds: Readonly<Record<Kind, KindPlan>> = plans;
export const kindNames = Object.keys(plans) as readonly Kind[];

export function pluralOf(word: string): string {
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

export function withArticle(word: string): string {
  return `${/^[aeiou]/i.test(word) && !/^(uni|eu)/i.test(word) ? 'an' : 'a'} ${word}`;
}

export function calledOf({ kind, name }: Entity): string {
  return fillWording(kinds[kind].called ?? '{name}', { name });
}
