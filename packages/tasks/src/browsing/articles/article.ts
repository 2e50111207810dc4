import { fillWording } from '../../family/wording.js';
import { yearOf } from '../world/builder.js';
import { type Entity, type Fact, kinds, withArticle } from '../world/entity.js';
import { months } from '../world/institutions.js';
import { prose } from './prose/all.js';
import { type Relation, relations } from '../world/relation.js';
import type { World } from '../world/world.js';

export type Inline = string | Mention;

export interface Mention {
  readonly text: string;
  readonly to?: number;
  readonly fact?: Relation;
}

export type Block =
  | { readonly type: 'paragraph'; readonly text: readonly Inline[] }
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'bullets'; readonly items: readonly (readonly Inline[])[] }
  | { readonly type: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Inline[])[][] };

export interface Article {
  readonly title: string;
  /** Shown under the title. */
  readonly kind: string;
  /** Rows of the infobox. */
  readonly box: readonly { readonly label: string; readonly value: Inline }[];
  readonly blocks: readonly Block[];
  /** Links to the lists that contain it. */
  readonly categories: readonly Mention[];
}

export function valueOf(world: World, relation: Relation, fact: Fact): Mention {
  switch (relations[relation].value) {
    case 'entity':
      return { text: world.entity(fact as number).name, to: fact as number, fact: relation };
    case 'date':
      return { text: dateText(fact as number), fact: relation };
    case 'number':
      return { text: numberText(fact as number), fact: relation };
    default:
      return { text: String(fact), fact: relation };
  }
}

/** Formats 18430312 as "12 March 1843". */
export function dateText(date: number): string {
  return `${date % 100} ${months[(Math.floor(date / 100) % 100) - 1] ?? ''} ${yearOf(date)}`;
}

/** Formats 12400 as "12,400". */
export function numberText(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function articleOf(world: World, entity: Entity, categories: readonly Mention[]): Article {
  const blocks: Block[] = [];
  for (const [paragraph, sentences] of prose[entity.kind].entries()) {
    if (typeof sentences === 'string') {
      blocks.push({ type: 'heading', text: sentences });
      continue;
    }
    const text: Inline[] = [];
    for (const [index, wordings] of sentences.entries()) {
      if (!known(entity, wordings[0] ?? '')) continue;
      if (text.length > 0) text.push(' ');
      const wording = wordings[choice(world, entity.id, paragraph * 8 + index, wordings.length)] ?? '';
      text.push(...filled(world, entity, wording));
    }
    blocks.push({ type: 'paragraph', text });
  }
  blocks.push(...sections(world, entity));
  return {
    title: entity.name,
    kind: kindOf(entity),
    box: choice(world, entity.id, 99, 10) < 6 ? boxOf(world, entity) : [],
    blocks,
    categories,
  };
}

function kindOf({ kind, facts }: Entity): string {
  return String(kind === 'person' ? facts.profession : kind === 'species' ? facts.type : kinds[kind].singular);
}

/** Chooses by entity and position in its article. */
function choice(world: World, id: number, place: number, count: number): number {
  let mixed =
    Math.imul(id + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b) ^ Math.imul(world.number + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % count;
}

const pieces = new Map<string, readonly string[]>();

/** Splits at placeholders: text, name, text, name, text. */
function cut(wording: string): readonly string[] {
  let parts = pieces.get(wording);
  if (!parts) pieces.set(wording, (parts = wording.split(/[{}]/)));
  return parts;
}

function known({ facts }: Entity, wording: string): boolean {
  return cut(wording).every((name, index) => {
    if (index % 2 === 0) return true;
    const fact = name.startsWith('a ') ? name.slice(2) : name;
    return !(fact in relations) || facts[fact as Relation] !== undefined;
  });
}

function filled(world: World, entity: Entity, wording: string): Inline[] {
  const text: Inline[] = [];
  for (const [index, part] of cut(wording).entries()) {
    if (part === '') continue;
    if (index % 2 === 0) {
      text.push(part);
      continue;
    }
    const counted = part.startsWith('a ');
    const relation = (counted ? part.slice(2) : part) as Relation;
    const fact = entity.facts[relation];
    if (fact === undefined) text.push(wordFor(entity, part));
    else if (counted) text.push({ text: withArticle(String(fact)), fact: relation });
    else text.push(valueOf(world, relation, fact));
  }
  return text;
}

function wordFor({ name, facts }: Entity, placeholder: string): string {
  const woman = facts.gender === 'f';
  switch (placeholder) {
    case 'name':
      return name;
    case 'short':
      return name.split(' ').at(-1) ?? name;
    case 'he':
      return woman ? 'she' : 'he';
    case 'He':
      return woman ? 'She' : 'He';
    case 'his':
      return woman ? 'her' : 'his';
    case 'His':
      return woman ? 'Her' : 'His';
    default:
      throw new Error(`an article has no {${placeholder}}`);
  }
}

function boxOf(world: World, { facts }: Entity): Article['box'] {
  const rows = Object.entries(facts) as [Relation, Fact][];
  return rows
    .filter(([relation]) => relation !== 'gender')
    .slice(0, 5)
    .map(([relation, fact]) => {
      const { label, unit } = relations[relation];
      const value = valueOf(world, relation, fact);
      return { label, value: unit === undefined ? value : { ...value, text: `${value.text} ${unit}` } };
    });
}

function sections(world: World, entity: Entity): Block[] {
  const groups = new Map<string, Entity[]>();
  for (const { from, relation } of world.references(entity)) {
    const { listed } = relations[relation];
    if (listed === undefined) continue;
    const { plural } = kinds[from.kind];
    const heading = fillWording(listed, { Kinds: plural.charAt(0).toUpperCase() + plural.slice(1), x: entity.name });
    const group = groups.get(heading);
    if (group) group.push(from);
    else groups.set(heading, [from]);
  }
  const byName = (one: Entity, other: Entity) => (one.name < other.name ? -1 : 1);
  return [...groups.keys()].sort().flatMap((heading): Block[] => [
    { type: 'heading', text: heading },
    {
      type: 'bullets',
      items: (groups.get(heading) ?? []).sort(byName).map((from) => [{ text: from.name, to: from.id }]),
    },
  ]);
}
