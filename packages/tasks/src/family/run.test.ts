import { type Action, Split } from '@gyre/protocol';
import { BrowserPool, type PageSource, type BrowserSession, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClickArgument } from '../basics/click.page.js';
import { families } from './families.js';
import type { TaskInstance } from './family.js';
import type { FormArgument } from '../basics/form.page.js';
import type { MazeArgument } from '../basics/maze.page.js';
import { startTask } from './run.js';

const size = { width: 160, height: 160 };
let pool: BrowserPool;
let session: BrowserSession;

beforeAll(async () => {
  pool = await BrowserPool.launch();
  session = await pool.lease({ size });
});
afterAll(async () => {
  await session.release();
  await pool.close();
});

async function solve(run: Verifier<Action>): Promise<{ reward: number; done: boolean; turns: number }> {
  let reward = 0;
  await session.screen.observe();
  for (let turns = 1; turns <= run.task.stepBudget; turns++) {
    for (const action of (await run.oracle()).actions) await session.screen.act(action);
    const step = await run.step();
    reward += step.reward;
    if (step.done) return { reward, done: true, turns };
  }
  return { reward, done: false, turns: run.task.stepBudget };
}

const middleOf = (control: number): Promise<Action> =>
  session.browser
    .evaluate<{ x: number; y: number }>(
      `(() => { const { left, top, width, height } = document.querySelector('[data-control="${control}"]').getBoundingClientRect();
        return { x: (left + width / 2) / innerWidth, y: (top + height / 2) / innerHeight }; })()`,
    )
    .then((point) => ({ type: 'click', point }));

describe.each(Object.values(families))('the oracle of $name', (family) => {
  test.each(Split.options)('solves every task of %s within its budget', async (split) => {
    for (let seed = 0; seed < 12; seed++) {
      const run = await startTask(session, family.create(split, seed));
      const { done, reward, turns } = await solve(run);
      const verdict = await run.verdict();
      expect({ id: run.task.id, done, success: verdict.success, score: verdict.score }).toEqual({
        id: run.task.id,
        done: true,
        success: true,
        score: 1,
      });
      expect(verdict.source).toBe('verifier');
      if (family.name === 'form') expect(reward).toBeGreaterThan(0.6);
      else expect(reward).toBeCloseTo(['maze', 'vault'].includes(family.name) ? 1 + 0.08 * turns : 1, 9);
      expect((await run.oracle()).actions).toEqual([]);
    }
  });
});

describe('click', () => {
  const instance = families.click.create('train', 3);
  const { target } = instance.page.argument as ClickArgument;

  test('ends without reward on a wrong control', async () => {
    const run = await startTask(session, instance);
    await session.screen.act(await middleOf(target === 0 ? 1 : 0));
    expect(await run.step()).toEqual({ reward: 0, done: true });
    expect(await run.verdict()).toMatchObject({ success: false, score: 0 });
  });

  test('goes on after a press on the background, and ends at the first control only', async () => {
    const run = await startTask(session, instance);
    await session.screen.act({ type: 'click', point: { x: 0.005, y: 0.995 } });
    expect(await run.step()).toEqual({ reward: 0, done: false });
    await session.screen.act(await middleOf(target));
    await session.screen.act(await middleOf(target === 0 ? 1 : 0));
    expect(await run.step()).toEqual({ reward: 1, done: true });
    expect(await run.step()).toEqual({ reward: 0, done: true });
  });
});

describe('form', () => {
  const asking = (kind: string): TaskInstance => {
    for (let seed = 0; ; seed++) {
      const instance = families.form.create('train', seed);
      if ((instance.page.argument as FormArgument).steps.some((step) => step.kind === kind)) return instance;
    }
  };

  test('fails on the wrong button and with a box too many, and says which part was wrong', async () => {
    const instance = asking('tick');
    const { steps, button } = instance.page.argument as FormArgument;
    const run = await startTask(session, instance);
    await session.screen.act(await middleOf(button));
    const { reward, done } = await run.step();
    expect(done).toBe(true);
    expect(reward).toBeLessThan(0.5);
    expect(await run.verdict()).toMatchObject({ success: false, evidence: { parts: { boxes: false, button: true } } });

    const expected = steps.flatMap((step) => (step.kind === 'tick' ? [step.control] : []));
    const again = await startTask(session, instance);
    const extra = await session.browser.evaluate<number>(
      `[...document.querySelectorAll('[role=checkbox]')].map((box) => Number(box.dataset.control)).find((box) => !${JSON.stringify(expected)}.includes(box))`,
    );
    await session.screen.act(await middleOf(extra));
    await solve(again);
    expect(await again.verdict()).toMatchObject({ success: false, score: 0.75, evidence: { parts: { boxes: false } } });
  });

  test('takes back a tick, and lets a text be corrected', async () => {
    const instance = asking('type');
    const { steps } = instance.page.argument as FormArgument;
    const run = await startTask(session, instance);
    const box = await session.browser.evaluate<number>(
      `Number(document.querySelector('[role=checkbox]').dataset.control)`,
    );
    await session.screen.act(await middleOf(box));
    await session.screen.act(await middleOf(box));
    expect((await run.verdict()).evidence).toMatchObject({ ticked: [] });
    const field = steps.find((step) => step.kind === 'type');
    if (field?.kind !== 'type') throw new Error('the form asks for no text');
    await session.screen.act(await middleOf(field.control));
    await session.screen.act({ type: 'type', text: 'wrongx' });
    for (let letter = 0; letter < 6; letter++) await session.screen.act({ type: 'hotkey', keys: 'backspace' });
    await session.screen.act({ type: 'type', text: field.text });
    expect((await run.verdict()).evidence).toMatchObject({ text: field.text, parts: { text: true } });
  });

  test('ignores typing while the keyboard is elsewhere', async () => {
    const run = await startTask(session, asking('type'));
    await session.screen.act({ type: 'type', text: 'lost' });
    expect((await run.verdict()).evidence).toMatchObject({ text: '' });
  });
});

describe('maze', () => {
  const startingAtWall = (): TaskInstance => {
    for (let seed = 0; ; seed++) {
      const instance = families.maze.create('train', seed);
      const { openings, start } = instance.page.argument as MazeArgument;
      if (openings[start] !== 15) return instance;
    }
  };

  test('counts a step into a wall as a move and ends after 12', async () => {
    const instance = startingAtWall();
    const { openings, start } = instance.page.argument as MazeArgument;
    const ways = ['arrowup', 'arrowright', 'arrowdown', 'arrowleft'];
    const walled = ways.find((_, way) => !((openings[start] ?? 0) & (1 << way))) ?? 'arrowup';
    const run = await startTask(session, instance);
    for (let move = 1; move <= 12; move++) {
      await session.screen.act({ type: 'hotkey', keys: walled });
      const { reward, done } = await run.step();
      expect(reward).toBeCloseTo(-0.02, 9);
      expect(done).toBe(move === 12);
    }
    expect(await run.verdict()).toMatchObject({ success: false, score: 0, evidence: { position: start, moves: 12 } });
  });
});

describe('vault', () => {
  const ways = ['arrowup', 'arrowright', 'arrowdown', 'arrowleft'];

  const straight = ({ side, openings, start, goal, distances }: MazeArgument): { keys: string[]; tiles: number[] } => {
    const strides = [-side, 1, side, -1];
    const keys: string[] = [];
    const tiles: number[] = [];
    for (let tile = start; tile !== goal;) {
      const direction = strides.findIndex(
        (stride, index) =>
          ((openings[tile] ?? 0) & (1 << index)) !== 0 &&
          (distances[tile + stride] ?? Infinity) < (distances[tile] ?? 0),
      );
      keys.push(ways[direction] ?? '');
      tile += strides[direction] ?? 0;
      tiles.push(tile);
    }
    return { keys, tiles };
  };

  test('does not open the chest without the key', async () => {
    const instance = Array.from({ length: 100 }, (_, seed) => families.vault.create('train', seed)).find(({ page }) => {
      const argument = page.argument as MazeArgument;
      const { keys, tiles } = straight(argument);
      const back = 2 * (argument.distances[argument.key?.tile ?? 0] ?? 0);
      return !tiles.includes(argument.key?.tile ?? -1) && keys.length + back <= argument.maxMoves;
    });
    if (!instance) throw new Error('every way to the chest leads over the key');
    const argument = instance.page.argument as MazeArgument;
    const run = await startTask(session, instance);
    for (const keys of straight(argument).keys) await session.screen.act({ type: 'hotkey', keys });
    expect(await run.step()).toMatchObject({ done: false });
    expect(await run.verdict()).toMatchObject({ success: false, evidence: { position: argument.goal, held: false } });
    const { done } = await solve(run);
    expect(done).toBe(true);
    expect(await run.verdict()).toMatchObject({ success: true, score: 1, evidence: { held: true } });
  });
});

describe('a page that cheats', () => {
  /** Adds a script to the page that presses, ticks, types and looks for the verifier. */
  const cheating = (page: PageSource): PageSource => ({
    ...page,
    html: page.html.replace(
      '</body>',
      `<script>
        Object.defineProperty(Event.prototype, 'isTrusted', { get: () => true });
        EventTarget.prototype.addEventListener = function () {};
        setTimeout(() => {
          for (const control of document.querySelectorAll('[data-control]')) {
            control.click();
            control.dispatchEvent(new MouseEvent('click', { bubbles: true }));
            control.setAttribute('aria-checked', 'true');
            if (control.isContentEditable) {
              control.focus();
              document.execCommand('insertText', false, 'cheat');
              control.dispatchEvent(new InputEvent('beforeinput', { inputType: 'insertText', data: 'cheat', bubbles: true }));
            }
          }
          for (const key of ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft']) {
            document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
          }
          document.documentElement.dataset.seen = typeof globalThis.gyreTask + Object.keys(globalThis).filter((key) => /gyre/i.test(key));
        }, 50);
      </script></body>`,
    ),
  });

  test.each(Object.values(families))('changes and sees nothing of the verifier in $name', async (family) => {
    const instance = family.create('train', 8);
    const honest = await startTask(session, instance);
    const untouched = await honest.verdict();
    const run = await startTask(session, { ...instance, page: cheating(instance.page) });
    await session.browser.advance(300);
    expect(await session.browser.evaluate('document.documentElement.dataset.seen')).toBe('undefined');
    expect(await run.step()).toEqual({ reward: 0, done: false });
    expect(await run.verdict()).toEqual(untouched);
    expect((await solve(run)).done).toBe(true);
    expect((await run.verdict()).success).toBe(true);
  });
});

test('the same task and actions give the same frames', async () => {
  const otherSession = await pool.lease({ size });
  try {
    for (const family of Object.values(families)) {
      const instance = family.create('dev', 4);
      const [first, second] = [await startTask(session, instance), await startTask(otherSession, instance)];
      expect((await session.screen.observe()).hash).toBe((await otherSession.screen.observe()).hash);
      for (let turn = 0; turn < 3; turn++) {
        for (const action of (await first.oracle()).actions)
          await Promise.all([session.screen.act(action), otherSession.screen.act(action)]);
        expect((await session.screen.observe()).hash).toBe((await otherSession.screen.observe()).hash);
        await Promise.all([first.step(), second.step()]);
      }
    }
  } finally {
    await otherSession.release();
  }
});

test('leaves a dialog of the page to the agent, turn by turn, and judges whatever is open', async () => {
  const page: PageSource = {
    html: '<button style="position:fixed;inset:0" onclick="document.title = confirm(`Delete it?`)"></button>',
    script: `() => { globalThis.gyreTask = { read: () => ({ done: false, success: document.title === 'true', score: 0, reward: Number(document.title === 'true'), evidence: { title: document.title } }), solve: () => [] } }`,
    seed: 1,
  };
  const { task } = families.vault.create('dev', 1);
  const start = () => startTask(session, { task, page });
  const click: Action = { type: 'click', point: { x: 0.5, y: 0.9 } };
  const agreed = await start();
  await session.screen.act(click);
  expect(await agreed.step()).toEqual({ reward: 0, done: false });
  expect(session.browser.page.asks).toBe('confirm');
  await session.screen.act({ type: 'hotkey', keys: 'enter' });
  expect(await agreed.step()).toEqual({ reward: 1, done: false });
  expect(await agreed.verdict()).toMatchObject({ success: true });
  const departed = await start();
  await session.screen.act(click);
  expect(await departed.verdict()).toMatchObject({ success: false, evidence: { title: 'false' } });
});
