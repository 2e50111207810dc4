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

/** What a family asks for, in one task. */
export interface Errand {
  /** What the agent is told, in English or within a Chinese sentence. */
  readonly ask: (language: 'en' | 'zh') => string;
  readonly difficulty: number;
  /** Number of the page that is open at first. */
  readonly start: number;
  readonly task: SiteArgument['task'];
  /** How many turns the scripted reader takes, roughly. */
  readonly turns: number;
}

interface BrowsePlan {
  readonly name: string;
  readonly description: string;
  readonly draw: (site: Site, random: Random) => Errand;
}

/** Seeds that share a world. */
const seedsPerWorld = 4;
const smallest: Size = { width: 640, height: 480 };

/** Number of the world that a seed's task is in: four seeds in a row share one. */
export function worldOf(seed: number): number {
  return Math.floor(seed / seedsPerWorld);
}

/** The encyclopaedia that a browsing task is played in, to be searched; undefined for tasks that are none, or are to do without. */
export function corpusOf({ family, split, seed }: Task): Corpus | undefined {
  const searched = family.startsWith('browse.') && family !== 'browse.navigate';
  return searched ? new Corpus(split, worldOf(seed)) : undefined;
}

/** Makes a family of a plan. Its `create` throws `bad_input` for a screen that is too small or of odd sides. */
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
