import type { Action } from '@gyre/protocol';
import { setTimeout as pause } from 'node:timers/promises';
import { BrowserPool, type BrowserSession, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTask } from '../family/run.js';
import { gameFamilies } from './families.js';
import { GameReport } from './scores/report.js';

let pool: BrowserPool;
let session: BrowserSession;

beforeAll(async () => {
  pool = await BrowserPool.launch();
  session = await pool.lease({ size: { width: 320, height: 240 } });
});
afterAll(async () => {
  await session.release();
  await pool.close();
});

const start = async () => startTask(session, gameFamilies.platformer!.create('test', 4));
const checksumOf = async (run: Verifier<Action>) => GameReport.parse((await run.verdict()).evidence.report).checksum;
const seen = async (run: Verifier<Action>) => ({
  frame: (await session.screen.observe()).hash,
  state: await checksumOf(run),
});
const wait = (seconds: number) => session.screen.act({ type: 'wait', seconds });

describe('a game that does not wait', () => {
  test('stands still between actions, however long they are apart', async () => {
    const run = await start();
    await session.screen.act({ type: 'hotkey', keys: 'arrowup' });
    const before = await seen(run);
    await pause(150);
    expect(await seen(run)).toEqual(before);
  });

  test('goes on with `wait`, by as much as is waited', async () => {
    const run = await start();
    const first = await seen(run);
    await wait(0.5);
    const atOnce = await seen(run);
    expect(atOnce.state).not.toBe(first.state);
    const again = await start();
    for (let part = 0; part < 5; part++) await wait(0.1);
    expect(await seen(again)).toEqual(atOnce);
  });

  test('goes on by the same with any key, and with one that it does not know', async () => {
    const run = await start();
    await session.screen.act({ type: 'hotkey', keys: 'q' });
    const afterKey = await seen(run);
    const again = await start();
    await wait(0.1);
    expect(await seen(again)).toEqual(afterKey);
  });

  test('with the same actions shows the same frames', async () => {
    const keys = ['arrowright', 'arrowup', 'q', 'arrowleft', 'arrowup', 'arrowdown', 'arrowright', 'arrowright'];
    const play = async () => {
      const run = await start();
      const frames = [await seen(run)];
      for (const key of keys) {
        await session.screen.act({ type: 'hotkey', keys: key });
        frames.push(await seen(run));
      }
      return frames;
    };
    const once = await play();
    expect(new Set(once.map(({ frame }) => frame)).size).toBe(once.length);
    expect(await play()).toEqual(once);
  });
});
