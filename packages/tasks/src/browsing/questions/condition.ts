import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { type Entity, withArticle } from '../world/entity.js';
import { numberText } from '../articles/article.js';
import { periodText, yearIn } from '../articles/list.js';
import { type Relation, relations } from '../world/relation.js';
import type { World } from '../world/world.js';

/** A true statement about an entity, vague enough to hold for others too. */
export interface Condition {
  /** Continues "it": "was founded in the 12th century". */
  readonly text: string;
  readonly holds: (entity: Entity) => boolean;
  /** One relation, or two if the second is of the entity that the first names. */
  readonly path: readonly Relation[];
}

export function drawVagueCondition(random: Random, entity: Entity, relation: Relation): Condition | undefined {
  const { that, value } = relations[relation];
  const fact = entity.facts[relation];
  if (that === undefined || fact === undefined || value === 'entity') return undefined;
  if (value === 'word') {
    const text = fillWording(that, { 'a v': withArticle(String(fact)), v: fact });
    return { text, holds: ({ facts }) => facts[relation] === fact, path: [relation] };
  }
  if (value === 'number') {
    const [lower, upper] = [
      roundedDown((fact as number) * (0.62 + 0.2 * random.next())),
      roundedUp((fact as number) * (1.2 + 0.4 * random.next())),
    ];
    const holds = ({ facts }: Entity) => {
      const figure = facts[relation] as number | undefined;
      return figure !== undefined && figure >= lower && figure <= upper;
    };
    return {
      text: fillWording(that, { v: `between ${numberText(lower)} and ${numberText(upper)}` }),
      holds,
      path: [relation],
    };
  }
  return periodCondition(relation, ...periodOf(random, yearIn(entity, relation) ?? 0));
}

export function periodCondition(relation: Relation, first: number, last: number): Condition {
  const holds = (entity: Entity) => {
    const year = yearIn(entity, relation);
    return year !== undefined && year >= first && year <= last;
  };
  const half = last - first === 49 ? `the ${first % 100 === 0 ? 'first' : 'second'} half of ` : '';
  const period =
    half + periodText(half ? Math.floor(first / 100) * 100 : first, half ? Math.floor(first / 100) * 100 + 99 : last);
  return { text: fillWording(relations[relation].that ?? '', { v: `in ${period}` }), holds, path: [relation] };
}

/** Draws a nested condition: "stands on a river that is between 200 and 300 km long". */
export function drawNestedCondition(
  world: World,
  random: Random,
  entity: Entity,
  relation: Relation,
): Condition | undefined {
  const { that } = relations[relation];
  const related = world.named(entity, relation);
  if (that === undefined || !related) return undefined;
  const further = random.shuffle(Object.keys(related.facts) as Relation[]);
  for (const innerRelation of further) {
    const inner = innerRelation === 'gender' ? undefined : drawVagueCondition(random, related, innerRelation);
    if (!inner) continue;
    const holds = (candidate: Entity) => {
      const named = world.named(candidate, relation);
      return named !== undefined && inner.holds(named);
    };
    return { text: fillWording(that, { that: inner.text }), holds, path: [relation, innerRelation] };
  }
  return undefined;
}

/** Draws a decade, half a century or a century around a year. */
function periodOf(random: Random, year: number): [number, number] {
  const span = year < 1700 ? random.pick([50, 100]) : random.pick([10, 10, 50]);
  const first = Math.floor(year / span) * span;
  return [first, first + span - 1];
}

function roundedDown(value: number): number {
  const step = stepOf(value);
  return Math.floor(value / step) * step;
}

function roundedUp(value: number): number {
  const step = stepOf(value);
  return Math.ceil(value / step) * step;
}

/** Halves the order of magnitude: 340 is rounded by 50. */
function stepOf(value: number): number {
  return Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, value))) / 2);
}
