import type { TaskFamily } from '../family/family.js';
import type { Random } from '../family/random.js';
import { browseFamily } from './browseFamily.js';
import { drawChain } from './questions/chain.js';
import { drawComparison } from './questions/comparison.js';
import { drawCount } from './questions/count.js';
import { questionTask, navigationTask } from './browseTasks.js';
import { findGiveaway, containsAnswer } from './questions/filter.js';
import { drawLookup } from './questions/lookup.js';
import { drawObfuscated } from './questions/obfuscation.js';
import type { Question } from './questions/question.js';
import type { Site } from './site/site.js';

const lookup = browseFamily({
  name: 'browse.lookup',
  description: 'Find one fact about a named entity on its page.',
  draw: (site, random) =>
    questionTask(
      site,
      random,
      drawn(() => drawLookup(site, random), containsAnswer),
    ),
});

const chain = browseFamily({
  name: 'browse.chain',
  description: 'Answer a question that takes two to five pages, each named by the previous one.',
  draw(site, random) {
    const hops = random.between(2, 5);
    return questionTask(
      site,
      random,
      unsolved(site, () => drawChain(site, random, hops)),
    );
  },
});

const obfuscated = browseFamily({
  name: 'browse.obfuscated',
  description: 'Find an entity described only by several vague conditions, or a fact about it.',
  draw: (site, random) =>
    questionTask(
      site,
      random,
      unsolved(site, () => drawObfuscated(site, random)),
    ),
});

const compare = browseFamily({
  name: 'browse.compare',
  description: 'Compare the same figure of two entities: report the larger, the smaller or the difference.',
  draw(site, random) {
    const difficulty = random.between(1, 5);
    return questionTask(
      site,
      random,
      drawn(() => drawComparison(site, random, difficulty)),
    );
  },
});

const count = browseFamily({
  name: 'browse.count',
  description: 'Count the rows of a list that match one or two conditions.',
  draw(site, random) {
    const difficulty = random.between(1, 5);
    return questionTask(
      site,
      random,
      drawn(() => drawCount(site, random, difficulty)),
    );
  },
});

const navigate = browseFamily({
  name: 'browse.navigate',
  description: 'Navigate from one page to another by links only, without search.',
  draw: (site, random: Random) => navigationTask(site, random, random.between(2, 5)),
});

/** Browsing tasks by name, on screens from 640 x 480 px. */
export const browsingFamilies: Readonly<Record<string, TaskFamily>> = Object.fromEntries(
  [lookup, chain, obfuscated, compare, count, navigate].map((family) => [family.name, family]),
);

function drawn(draw: () => Question | undefined, drops: (question: Question) => boolean = () => false): Question {
  for (;;) {
    const question = draw();
    if (question && !drops(question)) return question;
  }
}

/** Draws a question that neither its own text nor one search gives away. */
function unsolved(site: Site, draw: () => Question | undefined): Question {
  return drawn(draw, (question) => containsAnswer(question) || findGiveaway(site, question) !== undefined);
}
