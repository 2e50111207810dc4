import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { type Condition, drawVagueCondition, drawNestedCondition, periodCondition } from './condition.js';
import { type Entity, type Kind, displayNameOf, kinds } from '../world/entity.js';
import type { Group, List } from '../articles/list.js';
import type { Question, Stop } from './question.js';
import { type Relation, relations } from '../world/relation.js';
import type { Site } from '../site/site.js';
import { askable, questionText, factText, relationsOf, routeStop, wordingOf } from './wording.js';

const maxCandidates = 3;

interface Description {
  readonly list: List;
  readonly entity: Entity;
  /** Shared by the whole list. */
  readonly common: readonly Condition[];
  /** Visible in the list's table. */
  readonly visible: readonly Condition[];
  /** Visible only on the entities' pages. */
  readonly hidden: readonly Condition[];
}

/**
 * Draws a question for an entity described only by vague conditions. Together they hold for no other entity of its
 * kind, and every one is needed. Undefined if the draw fails; draw again.
 */
export function drawObfuscated(site: Site, random: Random): Question | undefined {
  const { world } = site;
  const kind = random.pick(sought);
  const entity = random.pick(world.ofKind(kind));
  const listPage = site.listPageOf(entity.id);
  const list = site.listAt(listPage);
  if (!list) return undefined;
  const description = describe(site, random, entity, list);
  if (!description) return undefined;
  const { common, visible, hidden } = description;
  const conditions = [...common, ...visible, ...hidden];
  if (!isMinimal(world.ofKind(kind), conditions)) return undefined;
  const candidates = list.members.filter((member) => visible.every(({ holds }) => holds(member)));
  const position = candidates.indexOf(entity);
  if (candidates.length < 2 || position >= maxCandidates) return undefined;

  const final = random.chance(0.4) ? random.pick(attributesOf(entity, conditions)) : undefined;
  const route: Stop[] = [
    { page: listPage, goal: `${kinds[kind].plural} that may fit`, learned: `"${list.title}" shows what may fit` },
    ...candidates.slice(0, position + 1).flatMap((candidate) => checks(site, candidate, hidden)),
    ...(final === undefined ? [] : [routeStop(world, entity, final)]),
  ];
  const nested = hidden.filter(({ path }) => path.length > 1).length;
  return {
    text: textOf(site, random, description, final),
    reference: final === undefined ? entity.name : factText(world, entity, final),
    difficulty: Math.max(1, Math.min(5, conditions.length - 1 + nested + (final === undefined ? 0 : 1))),
    names: list.group.country ? [list.group.country.name] : [],
    route,
  };
}

/** Returns whether exactly one entity fits, and every condition is needed. */
export function isMinimal(entities: readonly Entity[], conditions: readonly Condition[]): boolean {
  const fitting = (few: readonly Condition[]) =>
    entities.filter((entity) => few.every(({ holds }) => holds(entity))).length;
  if (fitting(conditions) !== 1) return false;
  // A condition of the noun ("a general") need not narrow the choice.
  return conditions.every(
    (left) => left.text === '' || fitting(conditions.filter((condition) => condition !== left)) > 1,
  );
}

const sought: readonly Kind[] = [
  ...([
    'town',
    'town',
    'river',
    'mountain',
    'island',
    'university',
    'company',
    'museum',
    'newspaper',
    'band',
    'bridge',
  ] as const),
  ...([
    'book',
    'book',
    'film',
    'film',
    'song',
    'painting',
    'battle',
    'expedition',
    'festival',
    'person',
    'person',
  ] as const),
];

function describe(site: Site, random: Random, entity: Entity, list: List): Description | undefined {
  const { world } = site;
  const { columns } = kinds[list.kind];
  const common = commonOf(site, list.group, list.kind);
  const taken = new Set(common.flatMap(({ path }) => path));
  const some = (from: readonly Relation[], limit: number, draw: (relation: Relation) => Condition | undefined) => {
    const picked: Condition[] = [];
    for (const relation of random.shuffle(from)) {
      if (picked.length >= limit || taken.has(relation)) continue;
      const condition = draw(relation);
      if (!condition) continue;
      picked.push(condition);
      taken.add(relation);
    }
    return picked;
  };
  const visible = some(columns, random.between(1, 2), (relation) => drawVagueCondition(random, entity, relation));
  const others = relationsOf(entity).filter((relation) => relation !== 'gender' && relation !== 'side');
  const hidden = some(others, random.between(1, 2), (relation) =>
    relations[relation].value === 'entity'
      ? drawNestedCondition(world, random, entity, relation)
      : columns.includes(relation)
        ? undefined
        : drawVagueCondition(random, entity, relation),
  );
  return hidden.length === 0 || visible.length === 0 ? undefined : { list, entity, common, visible, hidden };
}

function commonOf({ world }: Site, { country, years, word }: Group, kind: Kind): Condition[] {
  const conditions: Condition[] = [];
  if (word) {
    const { relation, word: value } = word;
    conditions.push({ text: '', holds: ({ facts }) => facts[relation] === value, path: [relation] });
  }
  if (country) {
    const text = `${kind === 'person' ? 'was born' : 'is'} in ${country.name}`;
    conditions.push({ text, holds: (entity) => world.countryOf(entity) === country, path: [] });
  }
  if (years) conditions.push(periodCondition(years.relation, years.first, years.last));
  return conditions;
}

function attributesOf(entity: Entity, conditions: readonly Condition[]): Relation[] {
  const stated = conditions.flatMap(({ path }) => path);
  return askable(entity).filter((relation) => !stated.includes(relation));
}

/** Stops at the first mismatch. */
function checks({ world }: Site, candidate: Entity, hidden: readonly Condition[]): Stop[] {
  const stops: Stop[] = [];
  for (const { holds, path } of hidden) {
    const fits = holds(candidate);
    const verdict = fits ? ', that fits' : ', that does not fit';
    const [relation, further] = path as [Relation, Relation | undefined];
    if (candidate.facts[relation] === undefined) {
      const learned = `${displayNameOf(candidate)} says nothing of it, that does not fit`;
      return [...stops, { page: candidate.id, goal: `"${relations[relation].label.toLowerCase()}"`, learned }];
    }
    const related = world.named(candidate, relation);
    if (further === undefined || !related) stops.push(routeStop(world, candidate, relation, verdict));
    else stops.push(routeStop(world, candidate, relation), stopOr(world, related, further, verdict));
    if (!fits) return stops;
  }
  return stops;
}

function stopOr(world: Site['world'], entity: Entity, relation: Relation, verdict: string): Stop {
  if (entity.facts[relation] !== undefined) return routeStop(world, entity, relation, verdict);
  const label = relations[relation].label.toLowerCase();
  return { page: entity.id, goal: `"${label}"`, learned: `${displayNameOf(entity)}: no ${label}${verdict}` };
}

const frames: readonly string[] = [
  'Which {kind} is meant? All of this is true: {conditions}.',
  'We are looking for one {kind}. {Conditions}. Which one is it?',
  'There is only one {kind} for which all of this holds: {conditions}. Name it.',
];
const attributeFrames: readonly string[] = [
  'Think of the one {kind} for which all of this is true: {conditions}. {ask}',
  'We are looking for one {kind}. {Conditions}. {ask}',
  'Only one {kind} fits: {conditions}. {ask}',
];

function textOf(
  { world }: Site,
  random: Random,
  { list, common, visible, hidden }: Description,
  final: Relation | undefined,
): string {
  const kind = list.group.word?.word ?? kinds[list.kind].singular;
  const pronoun = list.kind === 'person' ? 'he or she' : 'it';
  const stated = [...common.filter(({ text }) => text !== ''), ...random.shuffle([...visible, ...hidden])];
  const conditions = stated.map(({ text }) => `${pronoun} ${text}`).join('; ');
  const frame = wordingOf(random, world.split, final === undefined ? frames : attributeFrames);
  const ask = final === undefined ? '' : questionText(random, world.split, final, `that ${kind}`);
  const Conditions = conditions.charAt(0).toUpperCase() + conditions.slice(1);
  return fillWording(frame, { kind, conditions, Conditions, ask });
}
