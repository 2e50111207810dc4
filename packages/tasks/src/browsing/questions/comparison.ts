import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { numberText } from '../articles/article.js';
import { type Path, drawPath } from './chain.js';
import type { Entity, Kind } from '../world/entity.js';
import type { Question, Stop } from './question.js';
import type { Relation } from '../world/relation.js';
import type { Site } from '../site/site.js';
import { factText, routeStop, wordingOf } from './wording.js';

const measures: readonly { readonly kind: Kind; readonly relation: Relation; readonly called: string }[] = [
  { kind: 'country', relation: 'population', called: 'the number of inhabitants' },
  { kind: 'region', relation: 'area', called: 'the area in square kilometres' },
  { kind: 'town', relation: 'population', called: 'the number of inhabitants' },
  { kind: 'town', relation: 'elevation', called: 'the height above the sea in metres' },
  { kind: 'town', relation: 'founded', called: 'the founding year' },
  { kind: 'town', relation: 'railway', called: 'the year of the first train' },
  { kind: 'river', relation: 'length', called: 'the length in kilometres' },
  { kind: 'mountain', relation: 'height', called: 'the height in metres' },
  { kind: 'lake', relation: 'depth', called: 'the depth in metres' },
  { kind: 'island', relation: 'area', called: 'the area in square kilometres' },
  { kind: 'university', relation: 'students', called: 'the number of students' },
  { kind: 'university', relation: 'founded', called: 'the founding year' },
  { kind: 'company', relation: 'employees', called: 'the number of employees' },
  { kind: 'museum', relation: 'visitors', called: 'the yearly number of visitors' },
  { kind: 'newspaper', relation: 'copies', called: 'the daily number of copies' },
  { kind: 'bridge', relation: 'span', called: 'the length in metres' },
  { kind: 'book', relation: 'pages', called: 'the number of pages' },
  { kind: 'book', relation: 'published', called: 'the year of publication' },
  { kind: 'film', relation: 'minutes', called: 'the length in minutes' },
  { kind: 'film', relation: 'released', called: 'the year of release' },
  { kind: 'person', relation: 'died', called: 'the year of death' },
];

const figures: readonly string[] = [
  'Look at {m} of {a} and at {m} of {b}. What is the {larger} of the two figures?',
  'Compare {a} with {b} by {m}. What is the {larger} of the two figures?',
  'Take {m} of {a} and {m} of {b}, and give the {larger} figure.',
];
const differences: readonly string[] = [
  'What is the difference between {m} of {a} and {m} of {b}?',
  'How large is the difference between {a} and {b} in {m}?',
  'Take {m} of {a} and {m} of {b}, and subtract the smaller from the larger. What is left?',
];

/**
 * Draws a question for the larger, the smaller or the difference of two figures, so that guessing does not pay.
 * `difficulty` 1 and 2 name both entities, 3 and 4 name them through one fact, 5 through two.
 */
export function drawComparison(site: Site, random: Random, difficulty: number): Question | undefined {
  const { world } = site;
  const { kind, relation, called } = random.pick(measures);
  const hops = difficulty < 3 ? 0 : difficulty < 5 ? 1 : 2;
  const firstPath = pathTo(site, random, kind, relation, hops);
  const secondPath = pathTo(site, random, kind, relation, hops);
  const [a, b] = [firstPath?.entities.at(-1), secondPath?.entities.at(-1)];
  if (!firstPath || !secondPath || !a || !b || a === b) return undefined;
  const [first, second] = [a.facts[relation] as number, b.facts[relation] as number];
  if (first === second) return undefined;
  const subtracts = difficulty % 2 === 0 || difficulty === 5;
  const larger = random.chance(0.5);
  const figure = larger ? Math.max(first, second) : Math.min(first, second);
  const reference = subtracts
    ? numberText(Math.abs(first - second))
    : factText(world, figure === first ? a : b, relation);
  const stops = ({ entities, relations }: Path): Stop[] =>
    entities.map((entity, index) => routeStop(world, entity, relations[index] ?? relation));
  return {
    text: fillWording(wordingOf(random, world.split, subtracts ? differences : figures), {
      m: called,
      larger: larger ? 'larger' : 'smaller',
      a: firstPath.phrase,
      b: secondPath.phrase,
    }),
    reference,
    difficulty,
    names: [firstPath, secondPath].map(({ entities }) => entities[0]!.name),
    route: [...stops(firstPath), ...stops(secondPath)],
  };
}

function pathTo(site: Site, random: Random, kind: Kind, relation: Relation, hops: number): Path | undefined {
  const { world } = site;
  const target = random.pick(world.ofKind(kind));
  if (target.facts[relation] === undefined) return undefined;
  if (hops === 0) return drawPath(site, random, target, 0);
  // Walks backwards to a referring entity, or one further, then forwards again.
  const start = hops === 1 ? namer(site, random, target) : namer(site, random, namer(site, random, target));
  const path = start && drawPath(site, random, start, hops);
  const last = path?.entities.at(-1);
  return last?.kind === kind && last.facts[relation] !== undefined ? path : undefined;
}

function namer({ world }: Site, random: Random, entity: Entity | undefined): Entity | undefined {
  const references = entity ? world.references(entity) : [];
  return references.length === 0 ? undefined : random.pick(references).from;
}
