import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { numberText } from '../articles/article.js';
import { type Condition, periodCondition } from './condition.js';
import { type Entity, displayNameOf, kinds } from '../world/entity.js';
import { yearIn } from '../articles/list.js';
import type { Question, Stop } from './question.js';
import { type Relation, relations } from '../world/relation.js';
import type { Site } from '../site/site.js';
import { wordingOf } from './wording.js';

const frames: readonly string[] = [
  'How many {group} are there for which this is true: {conditions}?',
  'Of all {group}, for how many does this hold: {conditions}?',
  'Count the {group} for which this is true: {conditions}.',
];

/**
 * Draws a question for how many rows of a list fit one or two conditions. At 4 and 5 the list belongs to a country
 * described only by its currency. Undefined if the draw fails; draw again.
 */
export function drawCount(site: Site, random: Random, difficulty: number): Question | undefined {
  const { world } = site;
  const index = random.between(0, site.lists.length - 1);
  const list = site.lists[index]!;
  const { country } = list.group;
  const rows = list.members.length;
  const hides = difficulty >= 4;
  if (rows < 8 || rows > 60 || (difficulty < 3 && rows > 30) || (hides && !country)) return undefined;
  const columns = kinds[list.kind].columns.filter((relation) => relations[relation].value !== 'entity');
  const conditions = random
    .shuffle(columns)
    .slice(0, difficulty === 1 || difficulty === 4 ? 1 : 2)
    .map((relation) => limit(random, list.members, relation))
    .filter((condition) => condition !== undefined);
  const fitting = list.members.filter((member) => conditions.every(({ holds }) => holds(member)));
  if (conditions.length === 0 || fitting.length < 3 || fitting.length === rows) return undefined;
  // Small counts are frequent and easily guessed.
  if (!random.chance(fitting.length / 10)) return undefined;

  const title = list.title.replace('List of ', '');
  const group =
    hides && country
      ? title.replace(country.name, `the country that pays with the ${String(country.facts.currency)}`)
      : title;
  const pronoun = list.kind === 'person' ? 'he or she' : 'it';
  return {
    text: fillWording(wordingOf(random, world.split, frames), {
      group,
      conditions: conditions.map(({ text }) => `${pronoun} ${text}`).join(', and '),
    }),
    reference: String(fitting.length),
    difficulty,
    names: country && !hides ? [country.name] : [],
    route: [
      ...(hides && country ? [payingWith(site, country)] : []),
      {
        page: world.entities.length + index,
        look: 'end',
        goal: `all ${list.members.length} rows`,
        learned: `of the list, ${fitting.map(({ name }) => name).join(', ')} fit`,
      },
    ],
  };
}

function payingWith(site: Site, country: Entity): Stop {
  const list = site.lists.findIndex(({ kind }) => kind === 'country');
  return {
    page: site.world.entities.length + list,
    look: 'end',
    goal: `the country that pays with the ${String(country.facts.currency)}`,
    learned: `${displayNameOf(country)} pays with the ${String(country.facts.currency)}`,
  };
}

function limit(random: Random, members: readonly Entity[], relation: Relation): Condition | undefined {
  const { that, value } = relations[relation];
  const having = members.filter(({ facts }) => facts[relation] !== undefined);
  if (that === undefined || having.length < 3) return undefined;
  const sample = random.pick(having);
  const fact = sample.facts[relation] as number;
  if (value === 'word') {
    return {
      text: fillWording(that, { v: fact }),
      holds: ({ facts }) => (facts[relation] as unknown) === fact,
      path: [relation],
    };
  }
  if (value === 'number') {
    const step = Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, fact))));
    const bound = Math.floor(fact / step) * step;
    const more = random.chance(0.5);
    const holds = ({ facts }: Entity) => {
      const figure = facts[relation] as number | undefined;
      return figure !== undefined && (more ? figure > bound : figure < bound);
    };
    return {
      text: fillWording(that, { v: `${more ? 'more' : 'fewer'} than ${numberText(bound)}` }),
      holds,
      path: [relation],
    };
  }
  const year = yearIn(sample, relation) ?? 0;
  if (year % 3 === 0) {
    const first = Math.floor(year / 100) * 100;
    return periodCondition(relation, first, first + 99);
  }
  const before = random.chance(0.5);
  const bound = Math.round(year / 10) * 10;
  const holds = (entity: Entity) => {
    const candidateYear = yearIn(entity, relation);
    return candidateYear !== undefined && (before ? candidateYear < bound : candidateYear > bound);
  };
  return { text: fillWording(that, { v: `${before ? 'before' : 'after'} ${bound}` }), holds, path: [relation] };
}
