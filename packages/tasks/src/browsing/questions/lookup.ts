import type { Random } from '../../family/random.js';
import { displayNameOf, kindNames } from '../world/entity.js';
import type { Question } from './question.js';
import type { Site } from '../site/site.js';
import { askable, questionText, factText, routeStop } from './wording.js';

export function drawLookup(site: Site, random: Random): Question {
  const { world } = site;
  const entity = random.pick(world.ofKind(random.pick(kindNames)));
  const relation = random.pick(askable(entity));
  return {
    text: questionText(random, world.split, relation, displayNameOf(entity)),
    reference: factText(world, entity, relation),
    difficulty: 1,
    names: [entity.name],
    route: [routeStop(world, entity, relation)],
  };
}
