import { type Action, type Point, type Size, Split } from '@gyre/protocol';
import { BrowserPool, type PageSource, type BrowserSession, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTask } from '../family/run.js';
import type { CopyPasteArgument } from './text/copyPaste.page.js';
import type { DragDropArgument } from './lists/dragDrop.page.js';
import { widgetFamilies } from './families.js';
import type { WidgetFamily } from './widgetFamily.js';

const small: Size = { width: 160, height: 160 };
const large: Size = { width: 320, height: 240 };
const list: readonly WidgetFamily[] = Object.values(widgetFamilies);
const smallestOf = (family: WidgetFamily) => family.smallest ?? small;

let pool: BrowserPool;
const sessions = new Map<string, BrowserSession>();
const nameOf = ({ width, height }: Size) => `${width}x${height}`;
const sessionOf = (size: Size): BrowserSession => sessions.get(nameOf(size))!;

beforeAll(async () => {
  pool = await BrowserPool.launch();
  for (const size of [small, large, ...list.map(smallestOf)]) {
    if (!sessions.has(nameOf(size))) sessions.set(nameOf(size), await pool.lease({ size }));
  }
});
afterAll(async () => {
  for (const session of sessions.values()) await session.release();
  await pool.close();
});

async function solve(
  session: BrowserSession,
  run: Verifier<Action>,
): Promise<{ reward: number; turns: number; thoughts: string[] }> {
  let reward = 0;
  const thoughts: string[] = [];
  await session.screen.observe();
  for (let turns = 1; turns <= run.task.stepBudget; turns++) {
    const { actions, thought } = await run.oracle();
    if (thought !== undefined) thoughts.push(thought);
    for (const action of actions) await session.screen.act(action);
    const step = await run.step();
    reward += step.reward;
    if (step.done) return { reward, turns, thoughts };
  }
  return { reward, turns: Infinity, thoughts };
}

const cutOff = `[...document.querySelectorAll('.area *')].filter((element) => {
  if (element.children.length > 0 || !element.textContent || element.closest('.text,.list,[hidden]')) return false;
  const { right, bottom, left, top } = element.getBoundingClientRect();
  if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) return true;
  return element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline';
}).map((element) => element.textContent)`;

describe.each(list)('the oracle of $name', (family) => {
  const cases = [
    ...Split.options.flatMap((split) => [0, 1].map((seed) => ({ split, seed, size: smallestOf(family) }))),
    { split: 'train' as const, seed: 4, size: large },
  ];

  test.each(cases)('solves $split $seed within its budget', async ({ split, seed, size }) => {
    const session = sessionOf(size);
    const run = await startTask(session, family.create(split, seed, size));
    expect(await session.browser.evaluate(cutOff)).toEqual([]);
    expect(await run.verdict()).toMatchObject({ success: false });
    const { reward, turns, thoughts } = await solve(session, run);
    expect({ id: run.task.id, ...(await run.verdict()) }).toMatchObject({ id: run.task.id, success: true, score: 1 });
    expect(reward).toBeGreaterThan(0.5);
    expect(reward).toBeLessThanOrEqual(1);
    expect(turns).toBeLessThanOrEqual(8);
    expect(thoughts).toHaveLength(turns);
    expect((await run.oracle()).actions).toEqual([]);
  });
});

describe('a page that cheats', () => {
  const cheating = (page: PageSource): PageSource => ({
    ...page,
    html: page.html.replace(
      '</body>',
      `<script>
        Object.defineProperty(Event.prototype, 'isTrusted', { get: () => true });
        EventTarget.prototype.addEventListener = function () {};
        setTimeout(() => {
          const mouse = (type, more) => new MouseEvent(type, { bubbles: true, clientX: 80, clientY: 80, ...more });
          for (const element of document.querySelectorAll('[data-name]')) {
            for (const type of ['mouseover', 'mousemove', 'mousedown', 'mousemove', 'mouseup', 'click', 'dblclick']) {
              element.dispatchEvent(mouse(type, { buttons: 1, detail: 2 }));
            }
            element.dispatchEvent(mouse('mousedown', { button: 2 }));
            element.click();
            element.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: 80 }));
          }
          for (const key of ['Enter', 'Tab', 'ArrowDown', 'a', 'Escape', 'F2']) {
            document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ctrlKey: key === 'a' }));
          }
          document.documentElement.dataset.seen = typeof globalThis.gyreTask;
        }, 50);
      </script></body>`,
    ),
  });

  test.each(list)('changes and sees nothing of the state in $name', async (family) => {
    const session = sessionOf(smallestOf(family));
    const instance = family.create('train', 8);
    const honest = await (await startTask(session, instance)).verdict();
    const run = await startTask(session, { ...instance, page: cheating(instance.page) });
    await session.browser.advance(300);
    expect(await session.browser.evaluate('document.documentElement.dataset.seen')).toBe('undefined');
    expect(await run.verdict()).toEqual(honest);
    await solve(session, run);
    expect((await run.verdict()).success).toBe(true);
  });
});

const besides = (point: Point) => `(() => {
  const all = [...document.querySelectorAll('[data-name]')].filter((element) => element.checkVisibility());
  const hit = document.elementFromPoint(${point.x} * innerWidth, ${point.y} * innerHeight)?.closest('[data-name]');
  const kind = hit?.dataset.name.split('-')[0];
  for (const other of all.filter((element) => element !== hit && element.dataset.name.split('-')[0] === kind)) {
    const { left, top, width, height } = other.getBoundingClientRect();
    const middle = { x: (left + width / 2) / innerWidth, y: (top + height / 2) / innerHeight };
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    if (there && other.contains(there)) return middle;
  }
  return undefined;
})()`;

describe.each(list)('in $name', (family) => {
  test('the last thing done to a neighbour does not succeed', async () => {
    const session = sessionOf(smallestOf(family));
    const instance = family.create('train', 5);
    const { turns } = await solve(session, await startTask(session, instance));
    const run = await startTask(session, instance);
    expect(turns).toBeLessThan(Infinity);
    for (let turn = 1; turn < turns; turn++) {
      for (const action of (await run.oracle()).actions) await session.screen.act(action);
    }
    const [last] = (await run.oracle()).actions;
    if (!last || !('point' in last) || !last.point) return;
    const neighbour = await session.browser.evaluate<Point | undefined>(besides(last.point));
    if (neighbour) await session.screen.act({ ...last, point: neighbour });
    expect(neighbour).toBeDefined();
    expect(await run.verdict()).toMatchObject({ success: false });
  });
});

test('the wrong keys end a shortcut without success', async () => {
  const session = sessionOf(small);
  const run = await startTask(session, widgetFamilies.shortcut.create('train', 1));
  await session.screen.act({ type: 'hotkey', keys: 'ctrl alt q' });
  expect(await run.step()).toEqual({ reward: 0, done: true });
  expect(await run.verdict()).toMatchObject({ success: false, evidence: { pressed: 'ctrl alt q' } });
});

test('moving the wrong card costs its part until it is back', async () => {
  const session = sessionOf(small);
  const instance = widgetFamilies.dragDrop.create('train', 3);
  const { home, moves } = instance.page.argument as DragDropArgument;
  const card = home.findIndex((_, index) => !moves.some((move) => move.card === index));
  const run = await startTask(session, instance);
  const middleOf = (name: string) =>
    session.browser.evaluate<Point>(`(() => {
      const { left, top, width, height } = document.querySelector('[data-name="${name}"]').getBoundingClientRect();
      return { x: (left + width / 2) / innerWidth, y: (top + height * 0.8) / innerHeight };
    })()`);
  const move = async (place: number) =>
    session.screen.act({ type: 'drag', start: await middleOf(`card-${card}`), end: await middleOf(`place-${place}`) });
  await move(home[card] === 0 ? 1 : 0);
  const { reward } = await run.step();
  expect(reward).toBeLessThan(0);
  expect(await run.verdict()).toMatchObject({ success: false, evidence: { parts: { others: false } } });
  await move(home[card] ?? 0);
  expect(await run.step()).toEqual({ reward: -reward, done: false });
});

test('what is copied in one session is not pasted in another', async () => {
  const instance = widgetFamilies.copyPaste.create('train', 0);
  const { texts, from, to } = instance.page.argument as CopyPasteArgument;
  const session = sessionOf(small);
  const second = await pool.lease({ size: small });
  try {
    const run = await startTask(session, instance);
    for (let turn = 0; turn < 2; turn++)
      for (const action of (await run.oracle()).actions) await session.screen.act(action);
    expect(await run.verdict()).toMatchObject({ evidence: { clipboard: texts[from], parts: { copied: true } } });
    const later = await startTask(second, instance);
    const field = await second.browser.evaluate<Point>(`(() => {
      const { left, top, height } = document.querySelector('[data-name="field-${to}"]').getBoundingClientRect();
      return { x: (left + 9) / innerWidth, y: (top + height / 2) / innerHeight };
    })()`);
    await second.screen.act({ type: 'click', point: field });
    await second.screen.act({ type: 'hotkey', keys: 'ctrl v' });
    expect(await later.verdict()).toMatchObject({ evidence: { clipboard: '', texts } });
  } finally {
    await second.release();
  }
});
