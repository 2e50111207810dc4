import type { Action, Point, Size } from '@gyre/protocol';
import { BrowserPool, type BrowserSession, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTask } from '../family/run.js';
import { widgetFamilies } from './families.js';
import type { KeyboardNavArgument } from './keys/keyboardNav.page.js';
import type { MultiFieldArgument } from './text/multiField.page.js';
import type { ReorderArgument } from './lists/reorder.page.js';
import type { SearchArgument } from './text/search.page.js';
import type { StepperArgument } from './values/stepper.page.js';
import type { ToggleArgument } from './values/toggle.page.js';
import type { TreeArgument } from './panels/tree.page.js';
import type { WidgetFamily } from './widgetFamily.js';

const size: Size = { width: 160, height: 160 };
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

function taskWhere<Argument>(family: WidgetFamily, isWanted: (argument: Argument) => boolean) {
  for (let seed = 0; seed < 200; seed++) {
    const instance = family.create('train', seed, size);
    const argument = instance.page.argument as Argument;
    if (isWanted(argument)) return { instance, argument };
  }
  throw new Error(`no such task of ${family.name}`);
}

const middleOf = (name: string) =>
  session.browser.evaluate<Point>(`(() => {
    const { left, top, width, height } = document.querySelector('[data-name="${name}"]').getBoundingClientRect();
    return { x: (left + width / 2) / innerWidth, y: (top + height / 2) / innerHeight };
  })()`);
const press = async (name: string) => session.screen.act({ type: 'click', point: await middleOf(name) });
const isShown = (name: string) =>
  session.browser.evaluate<boolean>(`document.querySelector('[data-name="${name}"]').checkVisibility()`);

async function solve(run: Verifier<Action>): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    const { actions } = await run.oracle();
    if (actions.length === 0) return;
    for (const action of actions) await session.screen.act(action);
  }
}

test('toggling an unmentioned switch fails the task, and the oracle sets it back', async () => {
  const { instance, argument } = taskWhere<ToggleArgument>(widgetFamilies.toggle, ({ goals }) => goals.length === 1);
  const bystander = argument.states.findIndex((_, index) => !argument.goals.includes(index));
  const run = await startTask(session, instance);
  await solve(run);
  expect(await run.verdict()).toMatchObject({ success: true });

  const again = await startTask(session, instance);
  await press(`switch-${bystander}`);
  expect((await again.step()).reward).toBeLessThan(0);
  await press(`button-${argument.button}`);
  expect(await again.verdict()).toMatchObject({ success: false, evidence: { parts: { others: false, button: true } } });

  const third = await startTask(session, instance);
  await press(`switch-${bystander}`);
  await solve(third);
  expect(await third.verdict()).toMatchObject({ success: true });
});

test('a number that was right and is not any more does not count', async () => {
  const { instance, argument } = taskWhere<StepperArgument>(
    widgetFamilies.stepper,
    ({ values, step, target }) => target.value - (values[target.stepper] ?? 0) === step,
  );
  const run = await startTask(session, instance);
  const more = `more-${argument.target.stepper}`;
  await press(more);
  expect((await run.step()).reward).toBeGreaterThan(0);
  await press(more);
  expect((await run.step()).reward).toBeLessThan(0);
  await press(`button-${argument.button}`);
  expect(await run.verdict()).toMatchObject({ success: false });
});

test('another search finds other things, and the right one is found after it', async () => {
  const { instance, argument } = taskWhere<SearchArgument>(widgetFamilies.search, ({ go }) => !go);
  const goal = `item-1-${argument.target}`;
  const run = await startTask(session, instance);
  await press('field');
  for (const action of [
    { type: 'type', text: 'elsewhere' },
    { type: 'hotkey', keys: 'enter' },
  ] satisfies Action[])
    await session.screen.act(action);
  expect(await isShown(goal)).toBe(false);
  expect(await isShown('item-2-0')).toBe(true);
  await solve(run);
  expect(await run.verdict()).toMatchObject({ success: true, evidence: { searched: argument.query } });
});

test('items are dragged and set down where the mouse lets go', async () => {
  const { instance, argument } = taskWhere<ReorderArgument>(
    widgetFamilies.reorder,
    ({ arrows, order, moved }) => !arrows && order.length >= 4 && order.indexOf(moved) > 1,
  );
  const run = await startTask(session, instance);
  const [first, last] = [await middleOf('item-0'), await middleOf(`item-${argument.order.length - 1}`)];
  await session.screen.act({ type: 'drag', start: last, end: first });
  const { evidence } = await run.verdict();
  const rest = [...argument.order.keys()].slice(0, -1);
  expect(evidence).toMatchObject({ order: [argument.order.length - 1, ...rest] });
  await session.screen.act({ type: 'mouse_move', point: last });
  expect((await run.verdict()).evidence).toEqual(evidence);
  await solve(run);
  expect(await run.verdict()).toMatchObject({ success: true });
});

test('the mouse does nothing where the keyboard is asked for', async () => {
  const { instance, argument } = taskWhere<KeyboardNavArgument>(
    widgetFamilies.keyboardNav,
    ({ keys, start, target, count, columns }) =>
      keys === 'tab' && start + columns < count && (target + 1) % count !== start,
  );
  const run = await startTask(session, instance);
  await press(`item-${argument.target}`);
  await session.screen.act({ type: 'hotkey', keys: 'arrowdown' });
  expect(await run.verdict()).toMatchObject({ success: false, evidence: { focused: argument.start, entered: null } });
  await session.screen.act({ type: 'hotkey', keys: 'shift tab' });
  await session.screen.act({ type: 'hotkey', keys: 'enter' });
  expect(await run.step()).toMatchObject({ reward: 0, done: true });
  expect(await run.verdict()).toMatchObject({ success: false });
});

test('a text that was to stay in its field has to be there at the end', async () => {
  const { instance, argument } = taskWhere<MultiFieldArgument>(widgetFamilies.multiField, ({ texts, goals }) =>
    texts.some((text, index) => text !== '' && !goals.includes(index)),
  );
  const untouched = argument.texts.findIndex((text, index) => text !== '' && !argument.goals.includes(index));
  const run = await startTask(session, instance);
  await press(`field-${untouched}`);
  await session.screen.act({ type: 'type', text: 'x' });
  expect(await run.verdict()).toMatchObject({ evidence: { parts: { others: false } } });
  await solve(run);
  expect(await run.verdict()).toMatchObject({ success: true });
});

test('where not all folders fit, one closes as the next opens', async () => {
  const { instance, argument } = taskWhere<TreeArgument>(
    widgetFamilies.tree,
    ({ single, open }) => single && open === undefined,
  );
  const [first, second] = argument.folders.filter((folder) => argument.parents[folder] === -1);
  const run = await startTask(session, instance);
  await press(`node-${first}`);
  await press(`node-${second}`);
  expect((await run.verdict()).evidence).toMatchObject({ open: [second] });
  expect(await isShown(`node-${(first ?? 0) + 1}`)).toBe(false);
  expect(await isShown(`node-${(second ?? 0) + 1}`)).toBe(true);
});
