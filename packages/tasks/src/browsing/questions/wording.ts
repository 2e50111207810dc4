import type { Split } from '@gyre/protocol';
import { fillWording } from '../../family/wording.js';
import type { Random } from '../../family/random.js';
import { type Mention, valueOf } from '../articles/article.js';
import { type Entity, displayNameOf } from '../world/entity.js';
import type { Stop } from './question.js';
import { type Relation, relations } from '../world/relation.js';
import type { World } from '../world/world.js';

/** The last wording is for dev and test, the others are for train. */
export function wordingOf(random: Random, split: Split, wordings: readonly string[]): string {
  return split === 'train' ? random.pick(wordings.slice(0, -1)) : (wordings.at(-1) ?? '');
}

export function questionText(random: Random, split: Split, relation: Relation, x: string): string {
  return fillWording(wordingOf(random, split, relations[relation].ask ?? []), { x });
}

/** Returns a noun phrase: "the capital of x". */
export function nounOf(relation: Relation, x: string): string {
  return fillWording(relations[relation].noun ?? '', { x });
}

export function linkableRelations(entity: Entity): Relation[] {
  return relationsOf(entity).filter((relation) => relations[relation].noun !== undefined);
}

export function askable(entity: Entity): Relation[] {
  return relationsOf(entity).filter((relation) => relations[relation].ask !== undefined);
}

export function relationsOf({ facts }: Entity): Relation[] {
  return Object.keys(facts) as Relation[];
}

export function factText(world: World, entity: Entity, relation: Relation): string {
  return mention(world, entity, relation).text;
}

function mention(world: World, entity: Entity, relation: Relation): Mention {
  const fact = entity.facts[relation];
  if (fact === undefined) throw new Error(`${entity.name} has no ${relation}`);
  return valueOf(world, relation, fact);
}

export function routeStop(world: World, entity: Entity, relation: Relation, verdict = ''): Stop {
  const label = relations[relation].label.toLowerCase();
  return {
    page: entity.id,
    look: relation,
    goal: `"${label}" of ${displayNameOf(entity)}`,
    learned: `${displayNameOf(entity)}: ${label} ${factText(world, entity, relation)}${verdict}`,
  };
}
