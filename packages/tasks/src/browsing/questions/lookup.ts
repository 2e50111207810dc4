import type { Random } from '../../family/random.js';
import { calledOf, kindNames } from '../world/entity.js';
import type { Question } from './question.js';
import type { Site } from '../site/site.js';
import { askable, asking, factText, stopAt } from './wording.js';

export function drawLookup(site: Site, random: Random): Question {
  const { world } = site;
  const entity = random.pick(world.ofKind(random.pick(kindNames)));
  const relation = random.pick(askable(entity));
  return {
    text: asking(random, world.split, relation, calledOf(entity)),
    reference: factText(world, entity, relation),
    difficulty: 1,
    names: [entity.name],
    route: [stopAt(world, entity, relation)],
  };
}
