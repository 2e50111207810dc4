import { Random } from '@gyre/engine';
import { familyOf, startTask } from '@gyre/tasks';
import { BrowserPool } from '@gyre/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { slowed } from './latency.js';

test('turns of a slowed task take the time that was drawn, and come to the same', { timeout: 60_000 }, async () => {
  const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
  onTestFinished(() => pool.close());
  const instance = familyOf('click').create('train', 1);
  const session = await pool.lease({ size: instance.task.screen });
  const run = slowed(await startTask(session, instance), 0.1, new Random(3));
  const drawn = new Random(3);
  const expected = 100 * [0, 1, 2].reduce((sum) => sum + Math.exp(drawn.normal() - 0.5), 0);
  const start = performance.now();
  for (let turn = 0; turn < 3; turn++) expect(await run.step()).toEqual({ reward: 0, done: false });
  expect(performance.now() - start).toBeGreaterThan(expected - 10);
  expect(await run.verdict()).toMatchObject({ success: false, source: 'verifier' });
});
