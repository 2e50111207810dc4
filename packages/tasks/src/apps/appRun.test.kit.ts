import type { Action } from '@gyre/protocol';
import { BrowserPool, type BrowserSession, type PageSource, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTask } from '../family/run.js';
import { appScreen } from './appFamily.js';
import { appFamilies } from './families.js';

export async function act(session: BrowserSession, run: Verifier<Action>, actions: readonly Action[]) {
  for (const action of actions) await session.screen.act(action);
  const last = actions.at(-1);
  const answer = last?.type === 'finished' ? last.answer : undefined;
  return run.step(last?.type === 'finished' ? { ...(answer !== undefined && { answer }) } : undefined);
}

export async function solve(
  session: BrowserSession,
  run: Verifier<Action>,
): Promise<{ reward: number; turns: number }> {
  let reward = 0;
  for (let turns = 1; turns <= run.task.stepBudget; turns++) {
    const { actions, thought } = await run.oracle();
    expect(thought).toBeTruthy();
    expect(actions).toHaveLength(1);
    const step = await act(session, run, actions);
    reward += step.reward;
    if (step.done) return { reward, turns };
  }
  return { reward, turns: Infinity };
}

export function testApp(app: string): void {
  const families = Object.values(appFamilies).filter(({ name }) => name.startsWith(`${app}.`));
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

  test.each(families)('the oracle solves $name in train and in test', async (family) => {
    for (const split of ['train', 'test'] as const) {
      const run = await startTask(session, family.create(split, 1));
      expect(await run.verdict()).toMatchObject({ success: false });
      const { reward } = await solve(session, run);
      expect({ id: run.task.id, ...(await run.verdict()) }).toMatchObject({ id: run.task.id, success: true, score: 1 });
      expect(reward).toBeCloseTo(1, 9);
      expect((await run.oracle()).actions).toEqual([]);
    }
  });

  describe.each(families.slice(0, 1))('in $name', (family) => {
    test('doing nothing and saying that it is done fails', async () => {
      const run = await startTask(session, family.create('train', 2));
      expect(await act(session, run, [{ type: 'finished' }])).toEqual({ reward: 0, done: true });
      expect(await run.verdict()).toMatchObject({ success: false, score: 0 });
    });

    test('what a page’s script presses and types changes nothing', async () => {
      const instance = family.create('train', 3);
      const honest = await (await startTask(session, instance)).verdict();
      const run = await startTask(session, { ...instance, page: cheating(instance.page) });
      await session.browser.advance(300);
      expect(await session.browser.evaluate('document.documentElement.dataset.seen')).toBe('undefined');
      expect(await run.verdict()).toEqual(honest);
      await solve(session, run);
      expect((await run.verdict()).success).toBe(true);
    });
  });

  test('the same actions give the same frames', async () => {
    const secondSession = await pool.lease({ size: appScreen });
    try {
      const instance = families.at(-1)!.create('dev', 0);
      const [firstRun, secondRun] = [await startTask(session, instance), await startTask(secondSession, instance)];
      for (let turn = 0; turn < 6; turn++) {
        expect((await session.screen.observe()).hash).toBe((await secondSession.screen.observe()).hash);
        const { actions } = await firstRun.oracle();
        await act(session, firstRun, actions);
        await act(secondSession, secondRun, actions);
      }
    } finally {
      await secondSession.release();
    }
  });
}

const cheating = (page: PageSource): PageSource => ({
  ...page,
  html: page.html.replace(
    '</body>',
    `<script>
      Object.defineProperty(Event.prototype, 'isTrusted', { get: () => true });
      EventTarget.prototype.addEventListener = function () {};
      setTimeout(() => {
        const mouse = (type, more) => new MouseEvent(type, { bubbles: true, clientX: 300, clientY: 200, ...more });
        for (const element of document.querySelectorAll('[data-name]')) {
          for (const type of ['mousedown', 'mousemove', 'mouseup', 'click', 'dblclick', 'contextmenu']) {
            element.dispatchEvent(mouse(type, { buttons: 1, detail: 1 }));
          }
          element.click?.();
          element.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, deltaY: -80 }));
          if (!element.matches('input,textarea')) continue;
          element.focus();
          document.execCommand('insertText', false, 'cheat');
          element.dispatchEvent(new InputEvent('beforeinput', { inputType: 'insertText', data: 'cheat', bubbles: true }));
          element.dispatchEvent(new InputEvent('input', { inputType: 'insertText', data: 'cheat', bubbles: true }));
        }
        for (const key of ['Enter', 'Tab', 'Delete', 'a', 'Escape']) {
          (document.activeElement ?? document).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        }
        document.activeElement?.blur();
        document.documentElement.dataset.seen = typeof globalThis.gyreTask;
      }, 50);
    </script></body>`,
  ),
});
