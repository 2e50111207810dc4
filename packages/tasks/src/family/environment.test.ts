import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { familyOf } from './suites.js';
import { openTask } from './environment.js';
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
