import { readFileSync } from 'node:fs';
import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Proof } from './candidate.js';
import { type Trial, appPlace } from './place.js';
import { poolSuite, printPool, readPool } from './pool.js';
import { readRecording, recordedModel } from './recordedModel/recordedModel.js';
import type { Step } from './synthModel.js';
import { synthesise } from './synthesise.js';
import { startTask } from '../family/run.js';

const size = { width: 640, height: 480 };
let pool: BrowserPool;
beforeAll(async () => {
  pool = await BrowserPool.launch();
});
afterAll(() => pool.close());
const lease = () => pool.lease({ size });

const recording = (app: string) =>
  readRecording(readFileSync(new URL(`../../src/synthesis/recordedModel/${app}.json`, import.meta.url), 'utf8'));

async function prove({ task, setUp }: Trial): Promise<Proof> {
  const session = await lease();
  try {
    const run = await setUp(session);
    for (let turn = 0; turn < task.stepBudget; turn++) {
      const { actions } = await run.oracle();
      for (const action of actions) await session.screen.act(action);
      if ((await run.step()).done) break;
    }
    return { policy: 'oracle', tries: 1, successes: (await run.verdict()).success ? 1 : 0 };
  } catch {
    return { policy: 'oracle', tries: 1, successes: 0 };
  } finally {
    await session.release();
  }
}

const options = { lease, prove, date: '2026-05-01' };

describe('synthesis for mail, by answers written by hand', () => {
  test('loses each task for its own reason, and keeps those that can be done', async () => {
    const place = appPlace('mail', 'train', 5, size, recording('mail').start);
    const model = recordedModel(recording('mail'));
    const { tasks, unproved, funnel, dropped } = await synthesise({ ...options, place, model, count: 12 });
    expect(funnel).toEqual({
      views: 3,
      functions: 7,
      malformedAnswers: 0,
      composed: 12,
      lost: {
        malformed: 1,
        tooSimple: 1,
        unfit: 1,
        trueAtStart: 1,
        unclear: 0,
        unverifiable: 1,
        duplicate: 1,
        unproved: 2,
      },
      kept: 4,
    });
    expect(funnel.kept + dropped.length).toBe(funnel.composed);
    expect(dropped.find(({ loss }) => loss === 'trueAtStart')?.instruction).toContain('Library report');
    expect(dropped.find(({ loss }) => loss === 'unfit')?.why).toContain('m40');
    expect(unproved.map(({ condition }) => condition.kind)).toEqual(['changes', 'answer']);
    for (const { proof, provenance } of tasks) {
      expect(proof).toEqual({ policy: 'oracle', tries: 1, successes: 1 });
      expect(provenance.recorded).toBe(true);
      expect(new Set(provenance.screenshots).size).toBe(3);
    }
    const family = poolSuite(readPool(printPool(tasks)))['synth.mail'];
    expect(family?.unscripted).toBeUndefined();
    const instance = family?.create('train', 1);
    const session = await lease();
    const run = await startTask(session, instance!);
    expect(instance?.task.instruction).toContain('invoices');
    expect((await run.verdict()).success).toBe(false);
    for (let turn = 0; turn < 20; turn++) {
      for (const action of (await run.oracle()).actions) await session.screen.act(action);
      if ((await run.step()).done) break;
    }
    expect((await run.verdict()).success).toBe(true);
    await session.release();
    expect(() => family?.create('test', 0)).toThrow('in the split test');
    const stale = poolSuite(tasks.map((task) => ({ ...task, start: {} })))['synth.mail'];
    expect(() => stale?.create('train', 0)).toThrow(expect.objectContaining({ code: 'corrupt' }));

    const again = await synthesise({
      ...options,
      place,
      model: recordedModel(recording('mail')),
      count: 12,
      known: tasks,
    });
    expect(again.funnel).toMatchObject({ kept: 0, lost: { duplicate: 5 } });
  });
});

test('what a vision-language model said of the calendar makes tasks; a guest that it adds counts wherever the app lists it', async () => {
  const { start, ...recorded } = recording('calendar');
  const place = appPlace('calendar', 'train', 3, size, start);
  const { tasks, unproved, funnel } = await synthesise({ ...options, place, model: recordedModel(recorded), count: 4 });
  expect(funnel).toMatchObject({ views: 3, functions: 8, composed: 4, kept: 3, lost: { unproved: 1 } });
  expect(tasks[0]?.condition).toMatchObject({ changes: [{}, {}, { path: '/appointments/a1/guests/-' }] });
  expect(unproved.map(({ condition }) => condition.kind)).toEqual(['answer']);
});

describe('malformed answers', () => {
  const { model: name, start, answers } = recording('settings');
  const place = appPlace('settings', 'train', 1, size, start);
  const altered = (step: Step, ...others: string[]) => {
    const from = answers.findIndex((one) => one.step === step);
    const to = answers.findLastIndex((one) => one.step === step) + 1;
    const put = others.map((answer) => ({ step, answer }));
    return recordedModel({ model: name, answers: [...answers.slice(0, from), ...put, ...answers.slice(to)] });
  };

  test('end the exploration, and drop the tasks to compose', async () => {
    const seen = JSON.stringify(answers[0]?.answer);
    const lost = await synthesise({
      ...options,
      place,
      model: altered('explore', seen, 'I see.', '{"view": 3}'),
      count: 5,
    });
    expect(lost.funnel).toMatchObject({ views: 1, malformedAnswers: 1, kept: 3 });
    const none = await synthesise({ ...options, place, model: altered('compose', '{"tasks": 7}', '{'), count: 5 });
    expect(none.funnel).toMatchObject({ malformedAnswers: 1, composed: 0, kept: 0 });
  });

  test.each(['explore', 'extract'] as const)('stop it where there is no way on without them: %s', async (step) => {
    const model = altered(step, 'none', '{"fit": "good"}');
    await expect(synthesise({ ...options, place, model, count: 5 })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { field: 'model' },
    });
  });

  test('of a site that is not fit leave no tasks', async () => {
    const model = altered('extract', '{"fit": "login", "why": "it asks for a password", "functions": []}');
    const { site, funnel, tasks } = await synthesise({ ...options, place, model, count: 5 });
    expect(site).toEqual({ fit: 'login', why: 'it asks for a password' });
    expect([funnel.composed, tasks.length]).toEqual([0, 0]);
  });

  test('are asked for where the recording has others', async () => {
    await expect(synthesise({ ...options, place, model: altered('extract'), count: 5 })).rejects.toMatchObject({
      detail: { field: 'recorded' },
    });
  });
});

test.each([
  [() => appPlace('mial', 'train', 1), 'app', 'use mail'],
  [() => readRecording('{}'), 'recorded', '--record'],
  [() => readPool('\n{"place": 1}'), 'tasks', 'gyre tasks synth'],
  [() => poolSuite([]), 'tasks', '--app mail'],
])('what cannot be understood is refused with a way out: %#', (act, field, fix) => {
  expect(act).toThrow(
    expect.objectContaining({ detail: expect.objectContaining({ field, fix: expect.stringContaining(fix) }) }),
  );
});
