import { rm } from 'node:fs/promises';
import { Task } from '@gyre/protocol';
import { BrowserPool, type BrowserSession } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TaskFamily } from '../family/family.js';
import { startTask } from '../family/run.js';
import { miniwobDouble } from './double.test.fixture.js';
import { miniwobSuite } from './suite.js';

let folder: string;
let press: TaskFamily;
let pool: BrowserPool;
let session: BrowserSession;

beforeAll(async () => {
  folder = await miniwobDouble();
  press = miniwobSuite(folder)['miniwob.press']!;
  pool = await BrowserPool.launch();
  session = await pool.lease({ size: { width: 160, height: 224 } });
});
afterAll(async () => {
  await session.release();
  await pool.close();
  await rm(folder, { recursive: true });
});

const click = ([x, y]: readonly [number, number]) =>
  session.screen.act({ type: 'click', point: { x: x / 160, y: y / 224 } });
const places = { left: [40, 80], right: [120, 80] } as const;
const sideIn = (instruction: string): keyof typeof places => (instruction.includes('left') ? 'left' : 'right');

test('has every page under its name, whichever folder around it is named', () => {
  expect(Object.keys(miniwobSuite(folder))).toEqual(
    ['click-menu-2', 'date', 'find-greatest', 'idle', 'press', 'use-colorwheel-2'].map((page) => `miniwob.${page}`),
  );
  expect(press).toMatchObject({ description: 'MiniWoB++: Press Task.', unscripted: true });
  expect(() => miniwobSuite('/nowhere')).toThrow(expect.objectContaining({ code: 'bad_input' }));
});

test('gives tasks whose pages need no file and share no seed between splits', () => {
  const { task, page } = press.create('test', 1);
  expect(Task.parse(task)).toEqual(task);
  expect(press.create('test', 1).page).toEqual(page);
  expect(page.html).not.toMatch(/(src|href)="\.\.\//);
  expect(new Set(['train', 'dev', 'test'].map((split) => press.create(split as 'train', 1).page.seed)).size).toBe(3);
  expect(() => press.create('test', 1, { width: 160, height: 160 })).toThrow('does not support a screen of');
});

test('tells what the page says, and pays the raw reward, once', async () => {
  const run = await startTask(session, press.create('test', 1));
  expect(run.task.instruction).toMatch(/^Press (left|right) \(test\)$/);
  expect(await run.step()).toEqual({ reward: 0, done: false });
  const side = sideIn(run.task.instruction);
  await click(places[side]);
  expect(await run.step()).toEqual({ reward: 0.5, done: true });
  const verdict = await run.verdict();
  expect(verdict).toMatchObject({ success: true, score: 0.5, evidence: { rawReward: 0.5, reason: side } });
  // A click on the START cover begins another episode.
  await click([80, 80]);
  await click(places[side === 'left' ? 'right' : 'left']);
  expect(await run.step()).toEqual({ reward: 0, done: true });
  expect(await run.verdict()).toEqual(verdict);
});

test('fails what is wrong, and its time is not that of the wall', async () => {
  const run = await startTask(session, press.create('train', 2));
  expect(run.task.instruction).toContain('(train)');
  await session.screen.act({ type: 'wait', seconds: 30 });
  expect(await run.step()).toEqual({ reward: 0, done: false });
  await click(places[sideIn(run.task.instruction) === 'left' ? 'right' : 'left']);
  expect(await run.step()).toEqual({ reward: -1, done: true });
  expect(await run.verdict()).toMatchObject({ success: false, score: 0 });
});

test('takes what a page pays for a wrong answer for no success', async () => {
  const family = miniwobSuite(folder)['miniwob.find-greatest']!;
  for (const isRight of [true, false]) {
    const run = await startTask(session, family.create('test', 1));
    const right = sideIn(run.task.instruction);
    await click(places[isRight === (right === 'left') ? 'left' : 'right']);
    await run.step();
    const rawReward = isRight ? 1 : 0.1;
    expect(await run.verdict()).toMatchObject({ success: isRight, score: rawReward, evidence: { rawReward } });
  }
});

test('says in words what a goal only shows, as BrowserGym does', async () => {
  const goalOf = async (page: string) =>
    (await startTask(session, miniwobSuite(folder)[`miniwob.${page}`]!.create('test', 1))).task.instruction;
  expect(await goalOf('click-menu-2')).toBe('Click the item with the "ui-icon-seek-start" icon.');
  expect(await goalOf('use-colorwheel-2')).toBe('Select #b9680b with the wheel.');
});

test('draws another problem for another seed, and the same frames for the same', async () => {
  const frames: string[] = [];
  const utterances = new Set<string | undefined>();
  for (const seed of [1, 2, 3, 4, 5, 6, 1]) {
    utterances.add((await startTask(session, press.create('test', seed))).task.instruction);
    frames.push((await session.screen.observe()).hash);
  }
  expect(utterances.size).toBe(2);
  expect(frames.at(-1)).toBe(frames[0]);
});

test('shows pictures of style sheets and those that scripts name', async () => {
  await startTask(session, press.create('test', 1));
  await session.screen.observe();
  const visible = await session.browser.evaluate(
    `[document.querySelector('img').naturalWidth, getComputedStyle(document.querySelector('#wrap')).backgroundImage.slice(0, 20),
      getComputedStyle(document.querySelector('#reward-display')).display]`,
  );
  expect(visible).toEqual([1, 'url("data:image/png;', 'none']);
});

test('lets lists drop down within the page, and dates be written, as their own windows would never be drawn', async () => {
  const run = await startTask(session, miniwobSuite(folder)['miniwob.date']!.create('test', 0));
  await click([20, 168]);
  await session.screen.act({ type: 'hotkey', keys: 'arrowdown' });
  await session.screen.act({ type: 'hotkey', keys: 'enter' });
  expect(await session.browser.evaluate('document.querySelector("select").value')).toBe('b');
  await click([130, 135]);
  for (const keys of ['alt arrowdown', 'f4', 'space']) await session.screen.act({ type: 'hotkey', keys });
  await click([20, 135]);
  await session.screen.act({ type: 'type', text: '03042016' });
  await click(places.right);
  expect(await run.step()).toEqual({ reward: 1, done: true });
});

test('has no scripted solution, and understands what says more than a text', async () => {
  const run = await startTask(session, miniwobSuite(folder)['miniwob.idle']!.create('dev', 0));
  expect(run.task.instruction).toBe('wait');
  await expect(run.oracle()).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('no scripted solution') as string,
  });
});
