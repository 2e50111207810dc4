import type { Random } from '../../family/random.js';
import { type Entity, displayNameOf, kindNames } from '../world/entity.js';
import type { Question } from './question.js';
import { type Relation, relations } from '../world/relation.js';
import type { Site } from '../site/site.js';
import { askable, questionText, factText, nounOf, routeStop, linkableRelations } from './wording.js';

/** Entities along a chain of facts. */
export interface Path {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
  readonly phrase: string;
}

/**
 * Draws a question nested through `hops` facts, 2 to 5 ("In which year was the university of the author of ...
 * founded?"). Each fact has one value, so the answer is unique. Undefined if the draw fails; draw again.
 */
export function drawChain(site: Site, random: Random, hops: number): Question | undefined {
  const { world } = site;
  const path = drawPath(site, random, random.pick(world.ofKind(random.pick(kindNames))), hops - 1);
  const last = path?.entities.at(-1);
  if (!path || !last) return undefined;
  const candidates = askable(last).filter((relation) => !isKnown(world.named(last, relation), path.entities));
  if (candidates.length === 0) return undefined;
  // Counts and dates are asked for as often as names.
  const plain = candidates.filter((relation) => relations[relation].value !== 'entity');
  const final = random.pick(plain.length > 0 && random.chance(0.5) ? plain : candidates);
  const first = path.entities[0]!;
  return {
    text: questionText(random, world.split, final, path.phrase),
    reference: factText(world, last, final),
    difficulty: hops,
    names: [first.name],
    route: path.entities.map((entity, index) => routeStop(world, entity, path.relations[index] ?? final)),
  };
}

/** Never revisits an entity. */
export function drawPath(site: Site, random: Random, start: Entity, steps: number): Path | undefined {
  const entities = [start];
  const walked: Relation[] = [];
  let phrase = displayNameOf(start);
  for (let entity = start; walked.length < steps;) {
    const ways = linkableRelations(entity).filter((relation) => !isKnown(site.world.named(entity, relation), entities));
    if (ways.length === 0) return undefined;
    const relation = random.pick(ways);
    entity = site.world.named(entity, relation)!;
    phrase = nounOf(relation, phrase);
    entities.push(entity);
    walked.push(relation);
  }
  return { entities, relations: walked, phrase };
}

function isKnown(entity: Entity | undefined, known: readonly Entity[]): boolean {
  return entity !== undefined && known.includes(entity);
}
