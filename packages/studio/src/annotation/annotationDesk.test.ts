import { TaskSessions } from '@gyre/agent';
import { expect, onTestFinished, test } from 'vitest';
import { join } from 'node:path';
import { aRun, policiesOf } from '../server/studio.test.fixture.js';
import { AnnotationDesk } from './annotationDesk.js';

test('a claim that runs out frees its machine, and its owner continues unless another has the task', async () => {
  const { root, lake } = await aRun([]);
  onTestFinished(() => lake.close());
  const machines = new TaskSessions({ browsers: 1, sessionsPerBrowser: 1 });
  onTestFinished(() => machines.close());
  let now = Date.parse('2026-11-30T20:00:00Z');
  const directory = join(root, 'mine');
  const desk = new AnnotationDesk({
    directory,
    lake,
    machines: () => machines,
    policies: policiesOf(),
    now: () => now,
  });
  onTestFinished(() => desk.close());
  const terms = { policy: 'random', samples: 2, task: 'search/train/1' };
  const wait = { actions: [{ type: 'wait' as const }] };
  const first = (await desk.claim({ ...terms, by: 'ann' }))!;
  await desk.change(first.start.id, 0, (annotation) => annotation.act(wait));
  now += 16 * 60_000;
  const again = (await desk.claim({ ...terms, by: 'ann' }))!;
  expect(again).not.toBe(first);
  expect([again.start.id, again.turns]).toEqual([first.start.id, first.turns]);

  now += 16 * 60_000;
  const others = (await desk.claim({ ...terms, by: 'bob' }))!;
  expect(others.turns).toEqual([]);
  expect(others.start.id).not.toBe(first.start.id);
  const late = desk.change(first.start.id, 1, (annotation) => annotation.act(wait));
  await expect(late).rejects.toMatchObject({ code: 'bad_input', detail: { field: 'episode' } });
  await desk.release(others.start.id, 0);
}, 60_000);
