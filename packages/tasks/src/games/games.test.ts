import { type Action, Split, Task } from '@gyre/protocol';
import { BrowserPool, type BrowserSession, type Verifier } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TaskInstance } from '../family/family.js';
import { startTask } from '../family/run.js';
import { gameFamilies } from './families.js';
import type { GameArgument } from './game.js';
import type { AnyLevel } from './gameFamily.js';
import { GameReport } from './scores/report.js';

const list = Object.values(gameFamilies);
const size = { width: 320, height: 240 };
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

const argumentOf = ({ page }: TaskInstance) => page.argument as GameArgument<AnyLevel>;
const reportOf = async (run: Verifier<Action>) => GameReport.parse((await run.verdict()).evidence.report);

async function playOut(
  run: Verifier<Action>,
  { screen } = session,
): Promise<{ done: boolean; reward: number; frames: string[] }> {
  const stepLimit = run.task.stepBudget;
  const frames = [(await screen.observe()).hash];
  let reward = 0;
  for (let turn = 0; turn < stepLimit; turn++) {
    for (const action of (await run.oracle()).actions) await screen.act(action);
    frames.push((await screen.observe()).hash);
    const step = await run.step();
    reward += step.reward;
    if (step.done) return { done: true, reward, frames };
  }
  return { done: false, reward, frames };
}

describe.each(list)('the game $name', (family) => {
  const tasksOf = Object.fromEntries(
    Split.options.map((split) => [split, Array.from({ length: 10 }, (_, seed) => family.create(split, seed))]),
  ) as Record<Split, TaskInstance[]>;

  test('gives the same valid task for the same split and seed, in five difficulties', () => {
    for (const split of Split.options) {
      expect(family.create(split, 7)).toEqual(tasksOf[split][7]);
      expect(tasksOf[split].map(({ task }) => task.difficulty)).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
      for (const { task, page } of tasksOf[split]) {
        expect(Task.parse(task)).toEqual(task);
        expect(structuredClone(argumentOf({ task, page }))).toEqual(page.argument);
        expect(page.html).not.toMatch(/<script|\son\w+=|javascript:/i);
        expect(task.instruction).not.toMatch(/[{}]|undefined/);
      }
    }
  });

  test('shares no level, no colours and no seed between splits', () => {
    const sets = Split.options.map((split) => {
      const levels = tasksOf[split].map((instance) => JSON.stringify(argumentOf(instance).level));
      const palettes = tasksOf[split].map((instance) => argumentOf(instance).palette.name);
      return new Set([...levels, ...palettes, ...tasksOf[split].map(({ page }) => String(page.seed))]);
    });
    for (const [index, set] of sets.entries())
      for (const other of sets.slice(index + 1)) expect([...set].filter((value) => other.has(value))).toEqual([]);
  });

  test('is won by its scripted solution, and frame by frame the same again', async () => {
    for (const seed of [0, 1, 2]) {
      const instance = family.create('test', seed);
      const run = await startTask(session, instance);
      const first = await playOut(run);
      expect({ seed, done: first.done, verdict: await run.verdict() }).toMatchObject({
        seed,
        done: true,
        verdict: { success: true, score: 1, source: 'verifier' },
      });
      expect(first.reward).toBeGreaterThan(0.5);
      const report = await reportOf(run);
      expect(report).toMatchObject({ game: family.name, level: instance.task.difficulty, won: true, terminated: true });
      expect((await run.oracle()).actions).toEqual([]);
      if (seed > 0) continue;
      const again = await startTask(session, instance);
      expect((await playOut(again)).frames).toEqual(first.frames);
      expect((await reportOf(again)).checksum).toBe(report.checksum);
    }
  });

  test('is won on its smallest screen too', async () => {
    const instance = family.create('test', 6, family.smallest);
    const small = await pool.lease({ size: instance.task.screen });
    try {
      const run = await startTask(small, instance);
      expect(await playOut(run, small)).toMatchObject({ done: true });
      expect(await run.verdict()).toMatchObject({ success: true, score: 1 });
    } finally {
      await small.release();
    }
  });

  test('pays nothing for what the page or another seed does', async () => {
    const run = await startTask(session, family.create('test', 3));
    const atFirst = await reportOf(run);
    expect(await run.step({ answer: 'done' })).toMatchObject({ reward: 0, done: false });
    // Untrusted events, in both worlds of the page.
    const forge = `(() => {
      for (const key of ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft', ' ', 'Enter'])
        document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      for (const type of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click'])
        document.body.dispatchEvent(new PointerEvent(type, { clientX: 160, clientY: 120, bubbles: true, button: 0 }));
    })()`;
    await session.browser.evaluate(forge);
    const { score, checksum, moves } = await reportOf(run);
    // Time passes, but no forged input counts.
    expect(moves).toBe(atFirst.moves);
    if (checksum !== atFirst.checksum) expect(score).toBeLessThanOrEqual(atFirst.score);
    expect((await run.verdict()).success).toBe(false);
  });
});
