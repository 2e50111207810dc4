import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import type { Turn } from '@gyre/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { Claims } from './claims.js';
import { queueOf } from './queue.js';
import { TaskLog } from './taskLog.js';

const size = { width: 160, height: 160 };
const observation = { screenshot: 'a'.repeat(64), size };

async function aQueue() {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-queue-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const lake = await Lake.open(join(dir, 'lake'));
  onTestFinished(() => lake.close());
  let count = 0;
  const played = async (
    family: string,
    seed: number,
    success: boolean,
    change: { policy?: string; purpose?: string; turn?: Partial<Turn> } = {},
  ) => {
    const { policy = 'nano', purpose = 'ppo', turn } = change;
    const task = { id: `${family}/train/${seed}`, family, split: 'train' as const, seed, instruction: 'do it' };
    const writer = await lake.begin({
      ...{ id: `e${count}`, policy, purpose, seed: 0, observation },
      startedAt: new Date(Date.parse('2026-11-30T19:00:00Z') + 1000 * count++).toISOString(),
      task: { ...task, surfaces: ['screen'], screen: size, stepBudget: 4 },
    });
    if (turn) await writer.append({ index: 0, actions: [], observation, reward: 0, ...turn });
    await writer.finish({ state: 'finished' }, { success, score: 0, source: 'verifier', evidence: {} });
  };
  const log = new TaskLog(join(dir, 'annotation'));
  const claims = new Claims(log);
  return { lake, played, claims, queue: (families?: string[]) => queueOf({ lake, log, claims, families }) };
}

test('families that the policy solves half of the time come first, and those that it solves are retired', async () => {
  const { played, queue } = await aQueue();
  for (let seed = 0; seed < 20; seed++) {
    await played('tabs', seed, seed % 2 === 0);
    await played('vault', seed, false);
    await played('menu', seed, true);
    await played('vault', seed, true, { policy: 'oracle' });
    await played('vault', seed, true, { purpose: 'demonstration' });
  }
  const { families, tasks } = await queue();
  expect(families.map(({ family, success, retired }) => [family, success, retired])).toEqual([
    ['tabs', { count: 10, total: 20 }, false],
    ['menu', { count: 20, total: 20 }, true],
    ['vault', { count: 0, total: 20 }, false],
  ]);
  expect(tasks.map(({ family }) => family)).toEqual([
    ...Array<string>(10).fill('tabs'),
    ...Array<string>(10).fill('vault'),
  ]);
  // Those that it has failed.
  expect(tasks.slice(0, 10).every(({ task }) => Number(task.split('/')[2]) % 2 === 1)).toBe(true);
  expect((await queue(['menu'])).tasks).toHaveLength(10);
});

test('only the newest attempts count', async () => {
  const { played, queue } = await aQueue();
  for (let seed = 0; seed < 50; seed++) await played('tabs', seed, true);
  for (let seed = 0; seed < 25; seed++) await played('tabs', seed, false);
  expect((await queue()).families[0]?.success).toEqual({ count: 25, total: 50 });
});

test('where the samples of the policy disagree comes before where they agree', async () => {
  const { played, queue, claims } = await aQueue();
  const candidate = { actions: [], samples: 1, chosen: false };
  const annotation = (candidates: Turn['candidates']) => ({
    purpose: 'annotation',
    policy: 'human:ann',
    turn: { by: 'ann', candidates },
  });
  await played('menu', 0, true, annotation([candidate, candidate]));
  await played('tabs', 0, true, annotation([candidate]));
  const { families } = await queue();
  expect(families.map(({ family, disagreement }) => [family, disagreement.count])).toEqual([
    ['menu', 1],
    ['tabs', 0],
  ]);
  const [first] = (await queue()).tasks;
  await claims.claim('ann', [first!.task]);
  const { tasks } = await queue();
  expect(tasks.filter(({ task }) => task === first!.task)).toMatchObject([{ state: 'claimed', by: 'ann' }]);
  expect(tasks.at(-1)?.task).toBe(first!.task);
});

test('a family whose screens do not come back is refused', async () => {
  const { queue } = await aQueue();
  await expect(queue(['no such family'])).rejects.toMatchObject({ code: 'bad_input' });
  await expect(queue(['libreoffice.copy'])).rejects.toMatchObject({ code: 'bad_input' });
});
