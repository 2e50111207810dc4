import { BrowserPool, type BrowserSession } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './stage.js';

let pool: BrowserPool;
let session: BrowserSession;
beforeAll(async () => {
  pool = await BrowserPool.launch({ browsers: 1, sessionsPerBrowser: 1 });
  session = await pool.lease({ size: { width: 160, height: 120 } });
});
afterAll(async () => {
  await session.release();
  await pool.close();
});

describe('a turn on a stage', () => {
  it('has what the screen need not show among its results, in the turn in which it happened', async () => {
    const run = {
      step: () => Promise.resolve({ reward: 0, done: false }),
      verdict: () => Promise.resolve(undefined),
      oracle: () => Promise.resolve({ actions: [] }),
    };
    const stage = await Stage.open({ session, surfaces: ['screen'], start: () => Promise.resolve(run) });
    const failed = await stage.act({
      actions: [{ type: 'navigate', url: 'http://127.0.0.1:9/' }],
      notices: ['read so'],
    });
    expect(failed.results).toEqual([
      { kind: 'notice', text: 'read so' },
      { kind: 'notice', text: expect.stringContaining('net::ERR_') as string },
    ]);
    const next = await stage.act({ actions: [{ type: 'click', point: { x: 0.5, y: 0.5 } }] });
    expect(next.results).toEqual([]);
  });
});
