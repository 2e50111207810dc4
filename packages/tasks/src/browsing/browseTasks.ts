import { fillWording } from '../family/wording.js';
import type { Random } from '../family/random.js';
import type { BrowseTask } from './browseFamily.js';
import type { Question, Stop } from './questions/question.js';
import type { Site } from './site/site.js';
import { drawWalk } from './questions/walk.js';
import { wordingOf } from './questions/wording.js';

/** The last of each language is for dev and test. */
const questionFrames = {
  en: [
    '{q}',
    'Use the encyclopaedia on the screen to answer: {q}',
    'Find this out and finish with the answer: {q}',
    'Look this up and give a short answer. {q}',
    'Do some research on this site. The question is: {q}',
  ],
  zh: ['请用屏幕上的百科回答：{q}', '请查找并给出简短答案：{q}', '在此网站上查明后作答。问题：{q}'],
};
const walkFrames = {
  en: [
    'Follow links until the page "{p}" is open. The search is off.',
    'Go to the page "{p}" by links alone.',
    'Starting here, reach "{p}" without searching: only links are allowed.',
  ],
  zh: ['只点击链接，打开页面“{p}”。', '从这里出发，仅通过链接到达“{p}”。'],
};

export function questionTask(site: Site, random: Random, question: Question): BrowseTask {
  const { text, reference, difficulty, route } = question;
  const { split } = site.world;
  return {
    ask: (language) => fillWording(wordingOf(random, split, questionFrames[language]), { q: text }),
    difficulty,
    start: site.start,
    task: { kind: 'answer', question: text, reference, route },
    turns: route.reduce((turns, stop) => turns + turnsAt(site, stop), 1),
  };
}

export function navigationTask(site: Site, random: Random, links: number): BrowseTask {
  const walk = drawWalk(site, random, links);
  return {
    ask: (language) =>
      fillWording(wordingOf(random, site.world.split, walkFrames[language]), { p: site.title(walk.target) }),
    difficulty: Math.max(1, Math.min(5, walk.links - 1)),
    start: walk.start,
    task: { kind: 'reach', page: walk.target },
    turns: 6 * walk.links,
  };
}

/** Lower bound per wheel event on the smallest screen. */
const lettersPerScroll = 420;

/** Estimates the turns to search, open and scroll through a page. */
function turnsAt(site: Site, { page, look }: Stop): number {
  const scrolls = look === undefined ? 1 : Math.ceil(site.text(page).length / lettersPerScroll);
  return 4 + Math.min(scrolls, look === 'end' ? 16 : 6);
}
