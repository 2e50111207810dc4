import type { Split } from '@gyre/protocol';
import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { type Mention, valueOf } from '../articles/article.js';
import { type Entity, calledOf } from '../world/entity.js';
import type { Stop } from './question.js';
import { type Relation, relations } from '../world/relation.js';
import type { World } from '../world/world.js';

/** One of several wordings of a split: the last is for dev and test, the others are for train. */
export function wordingOf(random: Random, split: Split, wordings: readonly string[]): string {
  return split === 'train' ? random.pick(wordings.slice(0, -1)) : (wordings.at(-1) ?? '');
}

/** Question for a fact of `x`. */
export function asking(random: Random, split: Split, relation: Relation, x: string): string {
  return fillWording(wordingOf(random, split, relations[relation].ask ?? []), { x });
}

/** A noun phrase for what stands in a relation to `x`. */
export function nounOf(relation: Relation, x: string): string {
  return fillWording(relations[relation].noun ?? '', { x });
}

/** The relations of an entity that name another and can be asked through. */
export function ties(entity: Entity): Relation[] {
  return relationsOf(entity).filter((relation) => relations[relation].noun !== undefined);
}

/** The relations of an entity that can be asked for. */
export function askable(entity: Entity): Relation[] {
  return relationsOf(entity).filter((relation) => relations[relation].ask !== undefined);
}

export function relationsOf({ facts }: Entity): Relation[] {
  return Object.keys(facts) as Relation[];
}

/** A fact of an entity as a page writes it. Throws where it has none. */
export function factText(world: World, entity: Entity, relation: Relation): string {
  return mention(world, entity, relation).text;
}

function mention(world: World, entity: Entity, relation: Relation): Mention {
  const fact = entity.facts[relation];
  if (fact === undefined) throw new Error(`${entity.name} has no ${relation}`);
  return valueOf(world, relation, fact);
}

/** A stop at an entity's page to read one of its facts. */
export function stopAt(world: World, entity: Entity, relation: Relation, verdict = ''): Stop {
  const label = relations[relation].label.toLowerCase();
  return {
    page: entity.id,
    look: relation,
    goal: `"${label}" of ${calledOf(entity)}`,
    learned: `${calledOf(entity)}: ${label} ${factText(world, entity, relation)}${verdict}`,
  };
}
