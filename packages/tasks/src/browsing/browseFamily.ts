import type { Size, Split, Task } from '@gyre/protocol';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { pageScript } from '../family/pageScript.js';
import { Random } from '../family/random.js';
import { checkScreen, sizeSuffix } from '../family/screenSize.js';
import { pageSeed } from '../family/split.js';
import { Corpus, siteOf } from './search/corpus.js';
import { siteLabels } from './site/labels.js';
import type { SiteArgument } from './questions/question.js';
import type { Site } from './site/site.js';
import { siteHtml } from './site/siteHtml.js';
import { drawSiteSkin } from './site/skin.js';

export interface BrowseTask {
  readonly ask: (language: 'en' | 'zh') => string;
  readonly difficulty: number;
  readonly start: number;
  readonly task: SiteArgument['task'];
  readonly turns: number;
}

interface BrowsePlan {
  readonly name: string;
  readonly description: string;
  readonly draw: (site: Site, random: Random) => BrowseTask;
}

const seedsPerWorld = 4;
const smallest: Size = { width: 640, height: 480 };

export function worldOf(seed: number): number {
  return Math.floor(seed / seedsPerWorld);
}

/** Returns a browsing task's encyclopaedia; undefined for tasks without search. */
export function corpusOf({ family, split, seed }: Task): Corpus | undefined {
  const searched = family.startsWith('browse.') && family !== 'browse.navigate';
  return searched ? new Corpus(split, worldOf(seed)) : undefined;
}

/** Returns a family whose `create` throws `bad_input` where `checkScreen` does. */
export function browseFamily({ name, description, draw }: BrowsePlan): TaskFamily {
  return {
    name,
    description,
    smallest,
    create(split: Split, seed: number, size: Size = smallest): TaskInstance {
      checkScreen(name, size, smallest);
      const ofSize = sizeSuffix(size, smallest);
      const id = `${name}/${split}/${seed}${ofSize}`;
      const random = new Random(`${name}/${split}/${seed}`);
      const site = siteOf(split, worldOf(seed));
      const { ask, difficulty, start, task, turns } = draw(site, random);
      const language = random.chance(0.2) ? 'zh' : 'en';
      const labels = siteLabels[language];
      const argument: SiteArgument = { split, world: worldOf(seed), start, labels, task };
      return {
        task: {
          id,
          family: name,
          split,
          seed,
          instruction: ask(language),
          surfaces: ['screen'],
          screen: size,
          stepBudget: Math.ceil(1.5 * turns) + 4,
          difficulty,
        },
        page: {
          html: siteHtml(drawSiteSkin(random, split, size), labels, language),
          script: pageScript('browsing/site/site'),
          argument,
          seed: pageSeed(`${name}${ofSize}`, split, seed),
        },
      };
    },
  };
}
