import type { TaskState, PageVerifier } from '../../family/pageVerifier.js';
import { isRight } from '../answers/normalise.js';
import type { SiteArgument } from '../questions/question.js';
import { Site } from './site.js';
import { SiteBrowser } from './siteBrowser.js';
import { LinkWalker, RouteReader } from './siteOracle.js';
import { World } from '../world/world.js';

/** Shows a world's encyclopaedia and verifies an answer to give or a page to reach. */
export default function site({ split, world, start, labels, task }: SiteArgument): PageVerifier {
  const browser = new SiteBrowser(new Site(new World(split, world)), labels, start, task.kind === 'reach');
  return task.kind === 'reach' ? reach(browser, task.page) : answer(browser, task);
}

function answer(
  browser: SiteBrowser,
  { question, reference, route }: Extract<SiteArgument['task'], { kind: 'answer' }>,
): PageVerifier {
  const reader = new RouteReader(browser, route, reference);
  let finished = false;
  let lastAnswer: string | undefined;
  browser.onShow = () => reader.look();
  reader.look();
  return {
    read() {
      const success = finished && isRight(lastAnswer, reference);
      return stateOf(finished, success, { question, reference, answer: lastAnswer ?? null, opened: browser.seen.size });
    },
    solve: () => (finished ? [] : reader.solve()),
    finish(text) {
      if (finished) return;
      finished = true;
      lastAnswer = text;
      browser.lock();
    },
  };
}

function reach(browser: SiteBrowser, target: number): PageVerifier {
  const walker = new LinkWalker(browser, target);
  const isThere = () => 'page' in browser.current && browser.current.page === target;
  browser.onShow = () => {
    if (isThere()) browser.lock();
  };
  return {
    read: () =>
      stateOf(isThere(), isThere(), {
        target: browser.site.title(target),
        open: 'page' in browser.current ? browser.site.title(browser.current.page) : null,
        opened: browser.seen.size,
      }),
    solve: () => (isThere() ? [] : walker.solve()),
  };
}

function stateOf(done: boolean, success: boolean, evidence: Record<string, unknown>): TaskState {
  const score = success ? 1 : 0;
  return { done, success, score, reward: score, evidence };
}
