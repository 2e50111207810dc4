import { Random } from '@gyre/engine';
import { familyOf, openTask } from '@gyre/tasks';
import { BrowserPool } from '@gyre/sandbox';
import { expect, onTestFinished, test } from 'vitest';
import { SlowEnvironment } from './latency.js';

test(
  'steps of a slow environment take the time that was drawn, and have the same result',
  { timeout: 60_000 },
  async () => {
    const pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
    onTestFinished(() => pool.close());
    const instance = familyOf('click').create('train', 1);
    const environment = new SlowEnvironment(openTask(instance, pool), 0.1, new Random(3));
    onTestFinished(() => environment.close());
    await environment.reset();
    const drawn = new Random(3);
    const expected = 100 * [0, 1, 2].reduce((sum) => sum + Math.exp(drawn.normal() - 0.5), 0);
    const start = performance.now();
    for (let turn = 0; turn < 3; turn++) expect(await environment.step([])).toMatchObject({ reward: 0, done: false });
    expect(performance.now() - start).toBeGreaterThan(expected - 10);
    expect(await environment.verdict()).toMatchObject({ success: false, source: 'verifier' });
  },
);
