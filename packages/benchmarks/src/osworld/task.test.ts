import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTasks } from './task.js';

let clone: string;
let folder: string;
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'gyre-osworld-'));
  folder = join(clone, 'evaluation_examples');
});
afterEach(() => rm(clone, { recursive: true }));

const source = {
  benchmark: 'OSWorld',
  folder: 'evaluation_examples',
  flag: '--osworld',
  repository: 'xlang-ai/OSWorld',
};

const taskOf = (id: string) => ({ id, instruction: 'Do it.', snapshot: 'os', evaluator: { func: 'infeasible' } });

async function writeTasks(...ids: string[]): Promise<void> {
  await mkdir(join(folder, 'examples', 'os'), { recursive: true });
  for (const id of ids) await writeFile(join(folder, 'examples', 'os', `${id}.json`), JSON.stringify(taskOf(id)));
}

test('reads all tasks, in the order of their ids, as their files have them', async () => {
  await writeTasks('b', 'a');
  const tasks = await readTasks(clone, source);
  expect(tasks.map(({ domain, task }) => [domain, task.id])).toEqual([
    ['os', 'a'],
    ['os', 'b'],
  ]);
  expect(tasks[0]?.json).toEqual(taskOf('a'));
});

test('reads those of the list, where there is one', async () => {
  await writeTasks('a', 'b');
  await writeFile(join(folder, 'test_all.json'), '{"os":["b"]}');
  expect((await readTasks(clone, source)).map(({ task }) => task.id)).toEqual(['b']);
});

test.each([
  ['no folder of tasks', undefined, undefined],
  ['no task', undefined, '{}'],
  ['a list that is none', ['a'], '[1]'],
  ['a list that leads out of the folder', ['a'], '{"os":["../../../a"]}'],
])('refuses %s', async (_, ids, list) => {
  if (ids !== undefined || list !== undefined) await writeTasks(...(ids ?? []));
  if (list !== undefined) await writeFile(join(folder, 'test_all.json'), list);
  await expect(readTasks(clone, source)).rejects.toMatchObject({ code: 'bad_input', detail: { field: '--osworld' } });
});

test('refuses a file that is no task', async () => {
  await writeTasks('a');
  await writeFile(join(folder, 'examples', 'os', 'a.json'), '{"id":"a"}');
  await expect(readTasks(clone, source)).rejects.toMatchObject({ code: 'bad_input' });
});
