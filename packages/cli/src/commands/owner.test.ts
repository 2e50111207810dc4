import { FolderLock, Lake } from '@gyre/lake';
import { Settings } from '@gyre/training';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inProcess, lastJson } from '../inProcess.test.fixture.js';

async function aFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-owner-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test.each([
  ['flywheel', '--resume'],
  ['flywheel', '--directory'],
  ['train', 'ppo', '--from', 'base', '--resume', '--directory'],
  ['train', 'grpo', '--from', 'base', '--directory'],
  ['train', 'sft', '--directory'],
  ['train', 'ct', '--directory'],
  ['train', 'orm', '--directory'],
])('a directory that another process owns is refused: gyre %s %s', async (...words) => {
  const dir = await aFolder();
  await writeFile(join(dir, 'settings.json'), JSON.stringify(Settings.parse({})));
  const lock = await FolderLock.take(dir);
  const { status, stdout } = await inProcess(...words, dir, '--json');
  expect([status, lastJson(stdout)]).toMatchObject([
    1,
    { error: { code: 'held', message: expect.stringContaining(`is locked by process ${process.pid} on `) as string } },
  ]);
  await lock.expect();
  await lock.release();
});

test('gyre lake sql and check read the lake of a process that lives', async () => {
  const dir = await aFolder();
  const lake = await Lake.open(join(dir, 'lake'));
  const size = { width: 1, height: 1 };
  const observation = { screenshot: await lake.putScreenshot(Buffer.from('a screenshot')), size };
  const writer = await lake.begin({
    ...{ id: 'one', policy: 'oracle', purpose: 'eval', seed: 1, startedAt: '2026-11-20T10:00:00Z', observation },
    task: {
      ...{ id: 'form/train/7', family: 'form', split: 'train', seed: 7, instruction: 'Wait.', screen: size },
      ...{ surfaces: ['screen'], stepBudget: 3 },
    },
  });
  const count = async () =>
    lastJson((await inProcess('lake', 'sql', 'SELECT count(*) FROM episodes', '--directory', dir, '--json')).stdout);
  expect(await count()).toMatchObject({ rows: [[0]] });
  await writer.finish({ state: 'finished' });
  expect(await count()).toMatchObject({ rows: [[1]] });
  const check = await inProcess('lake', 'check', '--directory', dir, '--json');
  expect([check.status, lastJson(check.stdout)]).toMatchObject([0, { episodes: 1, recovered: 0, damaged: [] }]);
  await lake.close();
});
