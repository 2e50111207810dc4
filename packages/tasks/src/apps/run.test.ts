import type { Action } from '@gyre/protocol';
import { BrowserPool, type BrowserSession } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTask } from '../family/run.js';
import { appScreen } from './appFamily.js';
import { act, solve } from './appRun.test.kit.js';
import { appFamilies } from './families.js';

let pool: BrowserPool;
let session: BrowserSession;
beforeAll(async () => {
  pool = await BrowserPool.launch();
  session = await pool.lease({ size: appScreen });
});
afterAll(async () => {
  await session.release();
  await pool.close();
});

test('an unrequested change fails the task until it is undone', async () => {
  const run = await startTask(session, appFamilies['map.layer']!.create('train', 1));
  const { actions } = await run.oracle();
  const hit = actions[0] as Extract<Action, { type: 'click' }>;
  const others = await session.browser.evaluate<{ x: number; y: number }[]>(`
    [...document.querySelectorAll('[data-name^="layer-"]')].map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: (left + width / 2) / innerWidth, y: (top + height / 2) / innerHeight };
    })`);
  const decoy = others.find(({ x }) => Math.abs(x - hit.point.x) > 0.01)!;
  expect((await act(session, run, [{ type: 'click', point: decoy }])).reward).toBeLessThan(0);
  expect(await act(session, run, [hit])).toMatchObject({ done: false });
  expect(await run.verdict()).toMatchObject({ success: false });
  expect(await act(session, run, [{ type: 'click', point: decoy }])).toMatchObject({ done: true });
  expect(await run.verdict()).toMatchObject({ success: true, score: 1 });
});

test('a letter to the wrong person cannot be taken back: the task is over', async () => {
  const run = await startTask(session, appFamilies['mail.compose']!.create('train', 1));
  for (let turn = 0; turn < 20; turn++) {
    const { actions } = await run.oracle();
    const [action] = actions;
    const isSubject = action?.type === 'type' && action.text.includes('@');
    const step = await act(session, run, isSubject ? [{ type: 'type', text: 'nobody@example.org' }] : actions);
    // The oracle would mend it, so the rest is done without it.
    if (isSubject) break;
    expect(step.done).toBe(false);
  }
  await session.screen.act({ type: 'click', point: await middleOf('send') });
  expect(await run.step()).toMatchObject({ done: true });
  expect(await run.verdict()).toMatchObject({ success: false });
});

const middleOf = (name: string) =>
  session.browser.evaluate<{ x: number; y: number }>(`(() => {
    const { left, top, width, height } = document.querySelector('[data-name="${name}"]').getBoundingClientRect();
    return { x: (left + width / 2) / innerWidth, y: (top + height / 2) / innerHeight };
  })()`);

test('the oracle finds its way back from where a wanderer has gone', async () => {
  const run = await startTask(session, appFamilies['shop.checkout']!.create('train', 4));
  for (const name of ['wishes', 'orders', 'home', 'category-travel', 'below-5000']) {
    await act(session, run, [{ type: 'click', point: await middleOf(name) }]);
  }
  await solve(session, run);
  expect(await run.verdict()).toMatchObject({ success: true });
});

test('text is copied and pasted within a page, and larger screens fit', async () => {
  const size = { width: 1024, height: 768 };
  const large = await pool.lease({ size });
  try {
    const run = await startTask(large, appFamilies['mail.compose']!.create('test', 2, size));
    let done = false;
    for (let turn = 0; turn < run.task.stepBudget && !done; turn++) {
      ({ done } = await act(large, run, (await run.oracle()).actions));
    }
    expect(await run.verdict()).toMatchObject({ success: true });
  } finally {
    await large.release();
  }
  const run = await startTask(session, appFamilies['settings.rename']!.create('train', 1));
  for (let turn = 0; turn < 3; turn++) await act(session, run, (await run.oracle()).actions);
  const field = '[...document.querySelectorAll("input")].find((one) => one === document.activeElement)';
  const text = await session.browser.evaluate<string>(`${field}.value`);
  for (const keys of ['ctrl a', 'ctrl c', 'end', 'ctrl v']) await act(session, run, [{ type: 'hotkey', keys }]);
  expect(await session.browser.evaluate<string>(`${field}.value`)).toBe(text + text);
});
