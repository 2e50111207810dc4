import { type Action, type Point, Split } from '@gyre/protocol';
import { BrowserPool, type BrowserSession, type PageSource, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TaskFamily } from '../family/family.js';
import { startTask } from '../family/run.js';
import { siteOf } from './search/corpus.js';
import { worldOf } from './browseFamily.js';
import { browsingFamilies } from './families.js';
import type { SiteArgument } from './questions/question.js';

const list: readonly TaskFamily[] = Object.values(browsingFamilies);
const familyNamed = (name: string): TaskFamily => browsingFamilies[`browse.${name}`]!;

let pool: BrowserPool;
let session: BrowserSession;
beforeAll(async () => {
  pool = await BrowserPool.launch();
  session = await pool.lease({ size: { width: 640, height: 480 } });
});
afterAll(async () => {
  await session.release();
  await pool.close();
});

async function solve(
  run: Verifier<Action>,
  maxTurns = run.task.stepBudget,
): Promise<{ reward: number; turns: number; hashes: string[] }> {
  let reward = 0;
  const hashes: string[] = [];
  for (let turns = 1; turns <= maxTurns; turns++) {
    const { actions, thought } = await run.oracle();
    expect(actions).toHaveLength(1);
    expect(thought).toMatch(/\w+ \w+/);
    const [action] = actions as [Action];
    await session.screen.act(action);
    hashes.push((await session.screen.observe()).hash);
    const step = await run.step(action.type === 'finished' ? action : undefined);
    reward += step.reward;
    if (step.done) return { reward, turns, hashes };
  }
  return { reward, turns: Infinity, hashes };
}

const evaluate = <T>(expression: string) => session.browser.evaluate<T>(expression);
const address = () => evaluate<string>(`document.querySelector('[data-name="address"]').textContent`);
const title = () => evaluate<string>(`document.querySelector('h1').textContent`);
const top = () => evaluate<number>(`0 - parseInt(document.querySelector('.sheet').style.top)`);
const pointOf = (selector: string) =>
  evaluate<Point>(`(() => { const { left, top, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return { x: (left + width / 2) / innerWidth, y: (top + height / 2) / innerHeight }; })()`);
const press = async (selector: string): Promise<void> => {
  const point = await pointOf(selector);
  const isSeen = [point.x, point.y].every((share) => share >= 0 && share <= 1);
  if (isSeen) await session.screen.act({ type: 'click', point });
};

describe.each(list)('the oracle of $name', (family) => {
  test.each(Split.options.map((split, index) => ({ split, seed: 21 + 5 * index })))(
    'solves $split $seed within its budget, and gives the same frames again',
    async ({ split, seed }) => {
      const instance = family.create(split, seed);
      const run = await startTask(session, instance);
      expect(await run.verdict()).toMatchObject({ success: false, score: 0 });
      const played = await solve(run);
      expect({ id: run.task.id, ...played }).toMatchObject({ reward: 1 });
      expect(await run.verdict()).toMatchObject({ success: true, score: 1, source: 'verifier' });
      expect((await run.oracle()).actions).toEqual([]);
      if (split === 'train') expect(await solve(await startTask(session, instance))).toEqual(played);
    },
  );

  test('goes on from a state to which somebody has wandered', async () => {
    const instance = family.create('train', 9);
    const run = await startTask(session, instance);
    for (let turn = 0; turn < 2; turn++) {
      const [action] = (await run.oracle()).actions;
      if (action && action.type !== 'finished') await session.screen.act(action);
    }
    for (const selector of ['.sheet a[data-to]', '.sheet a[data-to]'])
      if (!(await run.step()).done) await press(selector);
    await session.screen.act({ type: 'scroll', direction: 'down' });
    await session.screen.act({ type: 'hotkey', keys: 'alt arrowleft' });
    const { turns } = await solve(run, 2 * run.task.stepBudget);
    expect(turns).toBeLessThan(Infinity);
    expect(await run.verdict()).toMatchObject({ success: true });
  });
});

describe('an answer', () => {
  test.each(['lookup', 'chain', 'obfuscated', 'compare', 'count'])(
    'that is wrong, empty or missing earns nothing in %s',
    async (name) => {
      const instance = familyNamed(name).create('dev', 3);
      for (const finished of [{ answer: 'something else' }, { answer: '' }, {}]) {
        const run = await startTask(session, instance);
        expect(await run.step(finished)).toEqual({ reward: 0, done: true });
        expect(await run.verdict()).toMatchObject({ success: false, score: 0 });
      }
    },
  );

  test('counts once: nothing that is said later mends it', async () => {
    const instance = familyNamed('chain').create('dev', 3);
    const { task } = instance.page.argument as SiteArgument;
    const run = await startTask(session, instance);
    await run.step({ answer: 'something else' });
    expect(await run.step({ answer: task.kind === 'answer' ? task.reference : '' })).toEqual({ reward: 0, done: true });
  });

  test('is right in other letters too, and ends nothing before it is given', async () => {
    const instance = familyNamed('chain').create('train', 6);
    const { task } = instance.page.argument as SiteArgument;
    const run = await startTask(session, instance);
    expect(await run.step()).toEqual({ reward: 0, done: false });
    const answer = task.kind === 'answer' ? ` the ${task.reference.toUpperCase()}. ` : '';
    expect(await run.step({ answer })).toEqual({ reward: 1, done: true });
  });

  test('is no way to reach a page', async () => {
    const run = await startTask(session, familyNamed('navigate').create('train', 1));
    expect(await run.step({ answer: 'done' })).toEqual({ reward: 0, done: false });
    expect(await run.verdict()).toMatchObject({ success: false, score: 0 });
  });
});

test('the document holds nothing of the world but what is open', async () => {
  const instance = familyNamed('chain').create('test', 4);
  const { task } = instance.page.argument as SiteArgument;
  const run = await startTask(session, instance);
  const html = await evaluate<string>('document.documentElement.outerHTML');
  expect(task.kind === 'answer' && html.includes(task.reference)).toBe(false);
  expect(html).not.toContain('<script');
  expect(run.task.instruction).not.toBe('');
});

describe('a page that cheats', () => {
  const cheating = (page: PageSource): PageSource => ({
    ...page,
    html: page.html.replace(
      '</body>',
      `<script>
        Object.defineProperty(Event.prototype, 'isTrusted', { get: () => true });
        setTimeout(() => {
          globalThis.gyreTask?.finish?.('1');
          for (const element of document.querySelectorAll('[data-to],[data-do],[data-name]')) {
            for (const type of ['mousedown', 'mouseup', 'click']) element.dispatchEvent(new MouseEvent(type, { bubbles: true }));
            element.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: 80 }));
          }
          for (const key of ['Enter', 'PageDown', 'a']) document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
          history.pushState(1, '');
          dispatchEvent(new PopStateEvent('popstate'));
          document.documentElement.dataset.seen = typeof globalThis.gyreTask;
        }, 50);
      </script></body>`,
    ),
  });

  test.each(['lookup', 'navigate'])('changes and sees nothing of the state in %s', async (name) => {
    const instance = familyNamed(name).create('train', 8);
    const honest = await (await startTask(session, instance)).verdict();
    const start = await title();
    const run = await startTask(session, { ...instance, page: cheating(instance.page) });
    await session.browser.advance(300);
    expect(await evaluate('document.documentElement.dataset.seen')).toBe('undefined');
    expect(await title()).toBe(start);
    expect(await run.verdict()).toEqual(honest);
  });
});

describe('the browser on the screen', () => {
  const site = siteOf('train', worldOf(0));
  const open = () => startTask(session, familyNamed('lookup').create('train', 0));
  const search = async (query: string) => {
    await press('[data-name="find"]');
    await session.screen.act({ type: 'type', text: `${query}\n` });
  };

  test('opens links, and goes back by button, by keys and by the action, to where it was', async () => {
    await open();
    const start = await title();
    await press('.sheet a[data-to]');
    const second = await title();
    expect(second).not.toBe(start);
    await press('[data-name="back"]');
    expect(await title()).toBe(start);
    await press('[data-name="forward"]');
    expect(await title()).toBe(second);
    await session.screen.act({ type: 'hotkey', keys: 'alt arrowleft' });
    expect(await title()).toBe(start);
    await session.screen.act({ type: 'hotkey', keys: 'alt arrowright' });
    expect(await title()).toBe(second);
    await session.screen.act({ type: 'scroll', direction: 'down' });
    const scrolled = await top();
    await press('[data-name="home"]');
    expect([await title(), await top()]).toEqual([start, 0]);
    await session.screen.act({ type: 'navigate_back' });
    expect([await title(), await top()]).toEqual([second, scrolled]);
    await session.screen.act({ type: 'navigate_back' });
    expect(await title()).toBe(start);
    await session.screen.act({ type: 'navigate_back' });
    expect(await title()).toBe(start);
  });

  test('searches by the enter key and by the button, and shows further results', async () => {
    await open();
    await search('mountain');
    expect(await address()).toBe(`${site.host}/search?q=mountain`);
    const first = await evaluate<string>(`document.querySelector('.result').textContent`);
    await session.screen.act({ type: 'hotkey', keys: 'pagedown' });
    await session.screen.act({ type: 'hotkey', keys: 'end' });
    await press('[data-do="next"]');
    expect(await address()).toBe(`${site.host}/search?q=mountain&page=2`);
    expect(await evaluate(`document.querySelector('.result').textContent`)).not.toBe(first);
    await press('[data-name="find"]');
    await session.screen.act({ type: 'hotkey', keys: 'ctrl a' });
    await session.screen.act({ type: 'type', text: 'river' });
    await press('[data-name="search"]');
    expect(await address()).toBe(`${site.host}/search?q=river`);
  });

  test('goes to an address that is written into its field, and says where there is nothing', async () => {
    await open();
    const go = async (text: string) => {
      await press('[data-name="address"]');
      await session.screen.act({ type: 'hotkey', keys: 'ctrl a' });
      await session.screen.act({ type: 'type', text: `${text}\n` });
    };
    const country = site.world.ofKind('country')[2]?.name ?? '';
    await go(`${site.host}/wiki/${country}`);
    expect(await title()).toBe(country);
    await go('nowhere.example');
    expect(await address()).toBe('nowhere.example');
    expect(site.world.entities.map(({ name }) => name)).not.toContain(await title());
  });

  test('scrolls by wheel, keys and its bar, and no further than the page is long', async () => {
    await open();
    await evaluate('0');
    await press(`.sheet a[data-to="${site.index}"]`);
    await session.screen.act({ type: 'scroll', direction: 'down' });
    expect(await top()).toBe(240);
    await session.screen.act({ type: 'hotkey', keys: 'end' });
    const bottom = await top();
    await session.screen.act({ type: 'scroll', direction: 'down' });
    expect(await top()).toBe(bottom);
    const start = await pointOf('[data-name="grip"]');
    await session.screen.act({ type: 'drag', start, end: { x: start.x, y: 0.2 } });
    expect(await top()).toBeLessThan(bottom / 2);
    await session.screen.act({ type: 'hotkey', keys: 'home' });
    expect(await top()).toBe(0);
  });

  test('has neither search nor address nor start page where only links are allowed', async () => {
    const run = await startTask(session, familyNamed('navigate').create('train', 2));
    const start = await title();
    await search('mountain');
    await press('[data-name="search"]');
    await press('[data-name="home"]');
    await press('[data-name="address"]');
    await session.screen.act({ type: 'hotkey', keys: 'ctrl a' });
    await session.screen.act({ type: 'type', text: `${site.host}/\n` });
    expect(await title()).toBe(start);
    expect(await run.step()).toEqual({ reward: 0, done: false });
  });
});

test('on a larger screen everything is in reach as well', async () => {
  const size = { width: 1280, height: 720 };
  const large = await pool.lease({ size });
  const small = session;
  session = large;
  try {
    const run = await startTask(large, familyNamed('chain').create('train', 4, size));
    expect(await solve(run)).toMatchObject({ reward: 1 });
  } finally {
    session = small;
    await large.release();
  }
});
