import { families, openTask, type TaskFamily } from '@gyre/tasks';
import { expect, test } from 'vitest';
import { isComplete, playRollouts } from './rollouts.js';

test('reports the played episodes if an error ends it early', async () => {
  let requests = 0;
  const policy = {
    name: 'broken',
    decide: () =>
      requests++ === 0
        ? Promise.resolve({ actions: [{ type: 'finished' as const }] })
        : Promise.reject(new TypeError('a fault of its own')),
  };
  const played = await playRollouts(
    {
      ...{ families: [families.click], split: 'test', from: 0, episodes: 3, sessions: 1, browsers: 1 },
      ...{ directory: undefined, purpose: 'test', seed: 1 },
    },
    { policy, screenshots: 1 },
    { signal: new AbortController().signal, progress: { update: () => undefined } },
  );
  expect(played.results).toMatchObject([{ family: 'click', n: 1 }]);
  expect(played.failure).toBeInstanceOf(TypeError);
}, 60_000);

test('plays all tasks of families with a fixed number of them, in environments of their own', async () => {
  const opened: string[] = [];
  const fixed = (name: string, seeds: readonly number[]): TaskFamily => ({
    ...families.click,
    name,
    seeds,
    create(split, seed) {
      const instance = families.click.create(split, seed);
      return { ...instance, task: { ...instance.task, family: name, id: `${name}/${split}/${seed}` } };
    },
    open(instance, machines) {
      opened.push(instance.task.id);
      return openTask(instance, machines, families.click);
    },
  });
  const plan = {
    ...{ families: [fixed('few', [1]), fixed('some', [0, 2, 3, 9]), fixed('late', [8])], split: 'test' as const },
    ...{ from: 0, episodes: 5, sessions: 1, browsers: 1, directory: undefined, purpose: 'test', seed: 1 },
  };
  const played = await playRollouts(
    plan,
    { policy: { name: 'ends', decide: async () => ({ actions: [{ type: 'finished' }] }) }, screenshots: 1 },
    { signal: new AbortController().signal, progress: { update: () => undefined } },
  );
  expect(opened).toEqual(['few/test/1', 'some/test/0', 'some/test/2', 'some/test/3']);
  expect(played.results).toMatchObject([
    { family: 'few', n: 1 },
    { family: 'some', n: 3 },
  ]);
  expect(isComplete(played, plan)).toBe(true);
  expect(isComplete(played, { ...plan, episodes: 10 })).toBe(false);
}, 60_000);
