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
  readonly singular: string;
  readonly plural: string;
  /** How questions refer to `{name}`; default: by the name alone. */
  readonly called?: string;
  /** Columns of its lists, besides the name. */
  readonly columns: readonly Relation[];
  /** How entities are grouped into lists. */
  readonly groups: Grouping;
}

const plans = {
  country: { singular: 'country', plural: 'countries', columns: ['capital', 'population', 'currency'], groups: 'all' },
  region: { singular: 'region', plural: 'regions', columns: ['country', 'side', 'area'], groups: 'all' },
  town: { singular: 'town', plural: 'towns', columns: ['region', 'founded', 'population'], groups: 'country' },
  river: {
    singular: 'river',
    plural: 'rivers',
    called: 'the river {name}',
    columns: ['region', 'length', 'mouth'],
    groups: 'country',
  },
  mountain: { singular: 'mountain', plural: 'mountains', columns: ['region', 'height', 'climbed'], groups: 'country' },
  lake: { singular: 'lake', plural: 'lakes', columns: ['region', 'area', 'depth'], groups: 'all' },
  island: { singular: 'island', plural: 'islands', columns: ['lake', 'area', 'population'], groups: 'all' },
  university: {
    singular: 'university',
    plural: 'universities',
    called: 'the {name}',
    columns: ['town', 'founded', 'students'],
    groups: 'all',
  },
  company: { singular: 'company', plural: 'companies', columns: ['town', 'founded', 'product'], groups: 'country' },
  museum: {
    singular: 'museum',
    plural: 'museums',
    called: 'the {name}',
    columns: ['town', 'opened', 'visitors'],
    groups: 'all',
  },
  newspaper: {
    singular: 'newspaper',
    plural: 'newspapers',
    called: 'the {name}',
    columns: ['town', 'founded', 'copies'],
    groups: 'all',
  },
  band: { singular: 'band', plural: 'bands', columns: ['town', 'formed', 'genre'], groups: { decade: 'formed' } },
  bridge: {
    singular: 'bridge',
    plural: 'bridges',
    called: 'the {name}',
    columns: ['crosses', 'opened', 'span'],
    groups: 'country',
  },
  prize: {
    singular: 'prize',
    plural: 'prizes',
    called: 'the {name}',
    columns: ['giver', 'awarded', 'field'],
    groups: 'all',
  },
  festival: {
    singular: 'festival',
    plural: 'festivals',
    called: 'the {name}',
    columns: ['town', 'founded', 'month'],
    groups: 'all',
  },
  book: {
    singular: 'book',
    plural: 'books',
    called: 'the book "{name}"',
    columns: ['author', 'published', 'genre'],
    groups: { decade: 'published' },
  },
  film: {
    singular: 'film',
    plural: 'films',
    called: 'the film "{name}"',
    columns: ['director', 'released', 'minutes'],
    groups: { decade: 'released' },
  },
  song: {
    singular: 'song',
    plural: 'songs',
    called: 'the song "{name}"',
    columns: ['performer', 'released', 'minutes'],
    groups: { decade: 'released' },
  },
  painting: {
    singular: 'painting',
    plural: 'paintings',
    called: 'the painting "{name}"',
    columns: ['painter', 'painted', 'museum'],
    groups: { century: 'painted' },
  },
  battle: {
    singular: 'battle',
    plural: 'battles',
    called: 'the {name}',
    columns: ['place', 'fought', 'victor'],
    groups: { century: 'fought' },
  },
  expedition: {
    singular: 'expedition',
    plural: 'expeditions',
    called: 'the {name}',
    columns: ['leader', 'setOut', 'members'],
    groups: { century: 'setOut' },
  },
  species: {
    singular: 'species',
    plural: 'species',
    called: 'the {name}',
    columns: ['habitat', 'described', 'describer'],
    groups: { word: 'type' },
  },
  person: {
    singular: 'person',
    plural: 'people',
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

export function displayNameOf({ kind, name }: Entity): string {
  return fillWording(kinds[kind].called ?? '{name}', { name });
}
