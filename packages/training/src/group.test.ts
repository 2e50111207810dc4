import type { Job } from '@gyre/agent';
import type { Episode } from '@gyre/protocol';
import { expect, test } from 'vitest';
import { playGroups } from './group.js';
import { rollout } from './rollout.test.fixture.js';

/** Plays the tasks of a family in their order; which attempts succeed is said for each task, as `1`, `0`, or `x` for an error. */
function table(outcomes: Readonly<Record<string, readonly string[]>>) {
  const next: Record<string, number> = {};
  const drawn: string[] = [];
  const draw = (family: string, tasks: number): Job[] =>
    Array.from({ length: tasks }, () => {
      const place = next[family] ?? 0;
      next[family] = place + 1;
      drawn.push(`${family}/${place}`);
      return { task: { id: `${family}/${place}`, family } } as Job;
    });
  const play = (jobs: readonly Job[]) => {
    let infraErrors = 0;
    const episodes = jobs.flatMap(({ task: { id, family } }): Episode[] => {
      const [, place = ''] = id.split('/');
      return [...(outcomes[family]?.[Number(place)] ?? '')].flatMap((outcome) => {
        if (outcome === 'x') infraErrors++;
        return outcome === 'x' ? [] : [rollout(family, [0], [], { task: id, success: outcome === '1' }).episode];
      });
    });
    return Promise.resolve({ episodes, infraErrors });
  };
  return { draw, play, drawn };
}

const ids = (episodes: readonly Episode[]) => [...new Set(episodes.map(({ task }) => task.id))];

test('groups that all succeeded or all failed are left out, and others are drawn for them', async () => {
  const { draw, play, drawn } = table({ a: ['111', '101', '000', '011'], b: ['10x'] });
  const wanted = new Map([
    ['a', 2],
    ['b', 1],
  ]);
  const made = await playGroups(wanted, { size: 3, filter: true, draws: 5 }, draw, play);
  expect(drawn).toEqual(['a/0', 'a/1', 'b/0', 'a/2', 'a/3']);
  expect(ids(made.kept)).toEqual(['a/1', 'b/0', 'a/3']);
  expect(made.groups).toEqual({ tasks: 5, allSucceeded: 1, allFailed: 1 });
  expect([made.episodes.length, made.kept.length, made.infraErrors]).toEqual([14, 8, 1]);
});

test('tasks are drawn no oftener than allowed, and what there is may be nothing', async () => {
  const { draw, play, drawn } = table({ a: ['00', '11', '0x', '01'] });
  const made = await playGroups(new Map([['a', 1]]), { size: 2, filter: true, draws: 3 }, draw, play);
  expect(drawn).toEqual(['a/0', 'a/1', 'a/2']);
  expect(made.kept).toEqual([]);
  expect(made.groups).toEqual({ tasks: 3, allSucceeded: 1, allFailed: 2 });
});

test('without the filter all is kept and drawn once, and it is counted all the same', async () => {
  const { draw, play, drawn } = table({ a: ['00', '01'] });
  const made = await playGroups(new Map([['a', 2]]), { size: 2, filter: false, draws: 3 }, draw, play);
  expect(drawn).toEqual(['a/0', 'a/1']);
  expect(made.kept).toEqual(made.episodes);
  expect(made.groups).toEqual({ tasks: 2, allSucceeded: 0, allFailed: 1 });
});
