import { EnvironmentWrapper, GyreError, type Verdict } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { act } from './act.js';
import { pressTask } from './pressTask.test.fixture.js';
import { Stage } from './stage.js';

let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
});
afterAll(async () => {
  await pool.close();
});

describe('a turn on a stage', () => {
  it('has what the screen need not show among its results, in the turn in which it happened', async () => {
    const stage = new Stage(pressTask().open(pool));
    onTestFinished(() => stage.close());
    await stage.reset();
    const failed = await act(stage, {
      actions: [{ type: 'navigate', url: 'http://127.0.0.1:9/' }],
      notices: ['read so'],
    });
    expect(failed.results).toEqual([
      { kind: 'notice', text: 'read so' },
      { kind: 'notice', text: expect.stringContaining('net::ERR_') as string },
    ]);
    const next = await act(stage, { actions: [{ type: 'mouse_move', point: { x: 0.9, y: 0.9 } }] });
    expect(next.results).toEqual([]);
  });
});

it('never blames the agent for an official evaluator that throws', async () => {
  class Unjudged extends EnvironmentWrapper {
    override verdict(): Promise<Verdict> {
      return Promise.reject(new GyreError('infra', 'TypeError: no bytes', { part: 'benchmark' }));
    }
  }
  const stage = new Stage(new Unjudged(pressTask().open(pool)), { reproduce: true });
  onTestFinished(() => stage.close());
  await stage.reset();
  await stage.step([{ type: 'mouse_move', point: { x: 0.9, y: 0.9 } }]);
  await expect(stage.verdict()).rejects.toMatchObject({ code: 'infra', detail: { part: 'benchmark' } });
});
