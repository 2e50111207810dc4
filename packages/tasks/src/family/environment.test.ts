import { PixelBox, Reading, pointsOf } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { noReadingNoise } from '../reading/noise.js';
import { machineFamilies } from './machine/families.js';
import { Random } from './random.js';
import { familyOf } from './suites.js';
import { type PageAids, openTask } from './environment.js';
import type { AnyFamily, TaskFamily } from './family.js';

let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
});
afterAll(() => pool.close());

test.each(['click', 'form', 'maze'])('the oracle of %s solves it through its environment', async (name) => {
  const environment = openTask(familyOf(name).create('test', 3), pool);
  onTestFinished(() => environment.close());
  await environment.reset();
  let [earned, isDone] = [0, false];
  for (let step = 0; step < environment.task.stepBudget && !isDone; step++) {
    const { actions } = await environment.oracle!();
    const { reward, done } = await environment.step(actions);
    earned += reward;
    isDone = done;
  }
  expect(isDone).toBe(true);
  expect(earned).toBeGreaterThan(0.5);
  expect(await environment.verdict()).toMatchObject({ success: true, score: 1, source: 'verifier' });
});

test('a family of no suite is passed along; without it there is no such family', async () => {
  const click = familyOf('click') as TaskFamily;
  const instance = click.create('test', 1);
  const foreign = { ...instance, task: { ...instance.task, family: 'elsewhere' } };
  expect(() => openTask(foreign, pool)).toThrow('unknown task family "elsewhere"');
  const environment = openTask(foreign, pool, click);
  onTestFinished(() => environment.close());
  expect(await environment.reset()).toMatchObject({ size: { width: 160, height: 160 } });
});

test('a family without a page or a start method is refused', async () => {
  const { task } = familyOf('click').create('test', 1);
  const family: AnyFamily = { name: 'empty', description: 'Nothing.', create: () => ({ task }) };
  const environment = openTask({ task }, pool, family);
  onTestFinished(() => environment.close());
  await expect(environment.reset()).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'start' } });
});

const aided = (name: string, aids: PageAids, split: 'train' | 'test' = 'train') => {
  const family = familyOf(name);
  const environment = openTask(family.create(split, 5), pool, family, aids);
  onTestFinished(() => environment.close());
  return environment;
};

test('every observation has a reading if asked for, and a step the boxes that it hit', async () => {
  const environment = aided('readAndType', { reading: 'simulated', noise: noReadingNoise, targets: true });
  const first = await environment.reset();
  const textOf = ({ reading }: typeof first) =>
    Reading.parse(reading)
      .lines.map(({ text }) => text)
      .join(' ');
  const { actions } = await environment.oracle!();
  const step = await environment.step(actions);
  const [target] = step.targets ?? [];
  const [action] = actions;
  const point = action && 'point' in action && action.point ? action.point : { x: 0, y: 0 };
  const { x, y, width, height } = PixelBox.parse(target);
  expect(Math.abs(point.x * first.size.width - x - width / 2)).toBeLessThan(1);
  expect(Math.abs(point.y * first.size.height - y - height / 2)).toBeLessThan(1);
  const { actions: typed } = await environment.oracle!();
  const written = await environment.step(typed);
  expect(typed).toMatchObject([{ type: 'type' }]);
  expect(written.targets).toEqual([]);
  const count = (text: string) => text.split((typed[0] as { text: string }).text).length - 1;
  expect(count(textOf(written.observation))).toBe(count(textOf(first)) + 1);
  expect(textOf(await environment.observe())).toBe(textOf(written.observation));
});

test('without aids there is no reading and there are no targets', async () => {
  const environment = aided('click', {}, 'test');
  expect(await environment.reset()).not.toHaveProperty('reading');
  const step = await environment.step((await environment.oracle!()).actions);
  expect(step).not.toHaveProperty('targets');
  expect(step.observation).not.toHaveProperty('reading');
});

test('the same screen is read with the same errors, unless their seed differs', async () => {
  const noise = { wrongCharacters: 0.5 };
  const reads = await Promise.all(
    [1, 1, 2]
      .map((noiseSeed) => aided('list', { reading: 'simulated', noise, noiseSeed }))
      .map(async (environment) => {
        const { reading } = await environment.reset();
        await environment.close();
        return reading;
      }),
  );
  expect(reads[0]).toEqual(reads[1]);
  expect(reads[0]).not.toEqual(reads[2]);
});

test.each<[string, PageAids, 'train' | 'test']>([
  ['click', { reading: 'simulated' }, 'test'],
  ['click', { targets: true }, 'test'],
  [Object.keys(machineFamilies)[0] ?? '', { reading: 'simulated' }, 'train'],
])('tasks of %s refuse %o in the %s split', (name, aids, split) => {
  expect(() => aided(name, aids, split)).toThrow(
    expect.objectContaining({ code: 'bad_input', detail: expect.objectContaining({ field: 'aids' }) as object }),
  );
});

test.each(['click', 'mail.reply', 'maze'])(
  'the oracle of %s advises in states that random actions reach',
  async (name) => {
    const environment = aided(name, { targets: true });
    await environment.reset();
    const random = new Random(name);
    for (let turn = 0; turn < 4; turn++) {
      const advice = await environment.advise!();
      expect(advice?.targets).toHaveLength(advice?.actions.flatMap(pointsOf).length ?? 0);
      await environment.step([{ type: 'click', point: { x: random.next(), y: random.next() } }]);
    }
  },
);
