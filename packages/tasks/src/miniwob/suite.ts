import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GyreError, type Size } from '@gyre/protocol';
import type { TaskFamily, TaskInstance } from '../family/family.js';
import { pageFunction, pageScript } from '../family/pageScript.js';
import { checkScreen, sizeSuffix } from '../family/screenSize.js';
import { pageSeed } from '../family/split.js';
import type { EpisodeArgument } from './episode.page.js';
import type { EpisodeVerifierArgument } from './episodeVerifier.page.js';
import { type WholePage, wholePage } from './wholePage.js';

/** The page is 160 x 210 px. */
const smallest: Size = { width: 160, height: 224 };

/** Turns per episode. MiniWoB++ counts seconds instead. */
const stepBudget = 30;

const channel = 'gyre-miniwob';

/** Pages that BrowserGym leaves out: they depend on the wall clock or a moving pointer. */
const excludedPages: ReadonlySet<string> = new Set([
  'button-delay',
  'chase-circle',
  'hover-shape',
  'moving-items',
  'simon-says',
]);

/** The highest rewards for a wrong answer, if above 0. */
const paidForWrong: ReadonlyMap<string, number> = new Map([['find-greatest', 0.5]]);

/** Goals that only BrowserGym puts in words. */
const hiddenInGoal: ReadonlyMap<string, 'icon' | 'colour'> = new Map([
  ['click-menu-2', 'icon'],
  ['use-colorwheel-2', 'colour'],
]);

const style = '<style>#reward-display{display:none}</style>';

/**
 * Returns the tasks of MiniWoB++ (Liu et al. 2018, https://github.com/Farama-Foundation/miniwob-plusplus), named as in
 * BrowserGym: `miniwob.click-test`. MiniWoB++ is not part of gyre. Its pages judge themselves in the main world, so a
 * manipulated page could lie. The reward is the raw one, without the time discount. Success (above 0; `find-greatest`
 * above 0.5), the 125 pages and the goals are BrowserGym's. There is no oracle.
 * @param directory MiniWoB++'s folder `html`, or one that contains it.
 * @throws GyreError `bad_input` for any other folder.
 */
export function miniwobSuite(directory: string): Readonly<Record<string, TaskFamily>> {
  const candidates = [directory, join(directory, 'html'), join(directory, 'miniwob/html')];
  const root = candidates.find((path) => existsSync(join(path, 'core/core.js')) && existsSync(join(path, 'miniwob')));
  if (root === undefined) {
    throw new GyreError('bad_input', `${directory} does not contain MiniWoB++`, {
      field: '--miniwob',
      fix: 'use the folder miniwob/html of https://github.com/Farama-Foundation/miniwob-plusplus',
    });
  }
  const pages = readdirSync(join(root, 'miniwob'))
    .filter((name) => name.endsWith('.html'))
    .map((name) => name.replace(/\.html$/, ''))
    .filter((page) => !excludedPages.has(page));
  const families = pages.sort().map((page) => miniwobFamily(resolve(root), page));
  return Object.fromEntries(families.map((family) => [family.name, family]));
}

function miniwobFamily(root: string, page: string): TaskFamily {
  const name = `miniwob.${page}`;
  const file = join(root, 'miniwob', `${page}.html`);
  const title = /<title>([^<]*)<\/title>/i.exec(readFileSync(file, 'utf8'))?.[1]?.trim();
  const hidden = hiddenInGoal.get(page);
  const wrong = paidForWrong.get(page) ?? 0;
  let whole: WholePage | undefined;
  return {
    name,
    description: `MiniWoB++: ${title ?? page}.`,
    smallest,
    unscripted: true,
    create(split, seed, size = smallest): TaskInstance {
      checkScreen(name, size, smallest);
      whole ??= wholePage(root, file);
      const drawn = pageSeed(name, split, seed);
      const { html, pictures } = whole;
      const argument: EpisodeArgument = {
        ...{ channel, seed: drawn, mode: split === 'train' ? 'train' : 'test', pictures },
        ...(hidden && { hidden }),
      };
      return {
        task: {
          id: `${name}/${split}/${seed}${sizeSuffix(size, smallest)}`,
          family: name,
          split,
          seed,
          instruction: 'do what is written at the top of the page',
          surfaces: ['screen'],
          screen: size,
          stepBudget,
        },
        page: {
          html: `${html}${style}<script>(${pageFunction('miniwob/episode')})(${JSON.stringify(argument)})</script>`,
          script: pageScript('miniwob/episodeVerifier'),
          argument: { channel, wrong } satisfies EpisodeVerifierArgument,
          seed: drawn,
        },
        instructs: true,
      };
    },
  };
}
