import { yearOf } from '../world/builder.js';
import { type Article, type Inline, valueOf } from './article.js';
import { type Entity, type Grouping, type Kind, kindNames, kinds, pluralOf } from '../world/entity.js';
import { type Relation, relations } from '../world/relation.js';
import type { World } from '../world/world.js';

/** A page with a table of entities. */
export interface List {
  readonly title: string;
  readonly kind: Kind;
  readonly group: Group;
  /** Sorted by name. */
  readonly members: readonly Entity[];
}

export interface Group {
  readonly country?: Entity;
  readonly years?: { readonly relation: Relation; readonly first: number; readonly last: number };
  readonly word?: { readonly relation: Relation; readonly word: string };
}

/** Sorts by kind, then title. Every entity is in one list. */
export function listsOf(world: World): readonly List[] {
  return kindNames.flatMap((kind) => {
    const lists = new Map<string, { group: Group; members: Entity[] }>();
    for (const entity of world.ofKind(kind)) {
      const group = groupOf(world, entity, kinds[kind].groups);
      const title = titleOf(kind, group);
      const list = lists.get(title);
      if (list) list.members.push(entity);
      else lists.set(title, { group, members: [entity] });
    }
    const byName = (one: Entity, other: Entity) => (one.name < other.name ? -1 : 1);
    return [...lists.keys()].sort().map((title): List => {
      const { group, members } = lists.get(title) as { group: Group; members: Entity[] };
      return { title, kind, group, members: members.sort(byName) };
    });
  });
}

export function yearIn(entity: Entity, relation: Relation): number | undefined {
  const fact = entity.facts[relation];
  if (typeof fact !== 'number') return undefined;
  return relations[relation].value === 'date' ? yearOf(fact) : fact;
}

function groupOf(world: World, entity: Entity, grouping: Grouping): Group {
  if (grouping === 'all') return {};
  const country = world.countryOf(entity);
  if (grouping === 'country') return country ? { country } : {};
  if ('word' in grouping) {
    const word = { relation: grouping.word, word: String(entity.facts[grouping.word]) };
    return { word, ...(grouping.byCountry && country && { country }) };
  }
  const [relation, span] = 'decade' in grouping ? [grouping.decade, 10] : [grouping.century, 100];
  const first = Math.floor((yearIn(entity, relation) ?? 0) / span) * span;
  return { years: { relation, first, last: first + span - 1 } };
}

function titleOf(kind: Kind, { country, years, word }: Group): string {
  const noun = word ? pluralOf(word.word) : kinds[kind].plural;
  const from = kind === 'person' ? 'from' : 'in';
  const where = country ? ` ${from} ${country.name}` : '';
  const when = years ? ` of ${periodText(years.first, years.last)}` : '';
  return `List of ${noun}${where}${when}`;
}

/** Formats "the 1840s" or "the 19th century". */
export function periodText(first: number, last: number): string {
  if (last - first < 20) return `the ${first}s`;
  const century = Math.floor(first / 100) + 1;
  return `the ${century}${century === 21 ? 'st' : 'th'} century`;
}

/** `index` is the page of all lists. */
export function listArticle(world: World, list: List, index: number): Article {
  const { columns, plural } = kinds[list.kind];
  const rows = list.members.map((member) => [
    [{ text: member.name, to: member.id }],
    ...columns.map((relation): Inline[] => {
      const fact = member.facts[relation];
      return fact === undefined ? ['–'] : [valueOf(world, relation, fact)];
    }),
  ]);
  const head = columns.map((relation) => {
    const { label, unit } = relations[relation];
    return unit === undefined ? label : `${label} (${unit})`;
  });
  return {
    title: list.title,
    kind: 'list',
    box: [],
    blocks: [
      { type: 'paragraph', text: [`This list names ${list.members.length} ${plural}, in the order of the alphabet.`] },
      { type: 'table', head: ['Name', ...head], rows },
    ],
    categories: [{ text: 'All lists', to: index }],
  };
}
