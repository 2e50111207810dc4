import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { OnlineEnvironment } from './environment.js';
import { readTrajectory } from './trajectory.js';

const screen = { width: 320, height: 240 };
const task: Task = {
  ...{ id: 'mind2web.easy/test/0', family: 'mind2web.easy', split: 'test', seed: 0, instruction: 'Open the shop.' },
  ...{ surfaces: ['screen'], screen, stepBudget: 5 },
};
const site = createServer((request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<body style="margin:0"><a href="/shop" style="display:block;height:100vh">${request.url}</a></body>`);
});

let pool: BrowserPool;
let website: string;
let folder: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  website = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  pool = await BrowserPool.launch({ clock: 'free', network: 'any' });
  folder = await mkdtemp(join(tmpdir(), 'gyre-online-'));
});
afterAll(async () => {
  site.closeAllConnections();
  site.close();
  await pool.close();
  await rm(folder, { recursive: true });
});

function open(address: string, trajectories?: string) {
  const official = { task_id: 'a1', confirmed_task: 'Open the shop.', website: address, reference_length: 1 };
  const judged: string[][] = [];
  const environment = new OnlineEnvironment({
    ...{ task, official, trajectories, named: { judge: 'none' } },
    lease: () => pool.lease({ size: screen }),
    judge: async (place, id) => {
      const { action_history: steps } = await readTrajectory(join(place, id));
      judged.push(steps.map(({ action, url }) => `${url} ${action}`));
      return { success: true, keyPoints: '', scores: [], response: 'Status: success' };
    },
  });
  onTestFinished(() => environment.close());
  return { environment, judged };
}

test('a task starts at its site, and its trajectory is judged', async () => {
  const { environment, judged } = open(website, folder);
  await expect(environment.verdict()).rejects.toMatchObject({ detail: { field: 'environment' } });
  await environment.reset();
  await environment.step([{ type: 'click', point: { x: 0.5, y: 0.5 } }]);
  await environment.step([{ type: 'press_home' }]);
  await environment.step([{ type: 'finished', answer: 'Here.' }]);
  expect(await environment.verdict()).toMatchObject({
    success: true,
    source: 'judge',
    evidence: { official: 'a1', judge: 'none' },
  });
  expect(judged).toEqual([
    [
      `${website} CLICK coords(160, 120) -> click | SUCCESS`,
      `${website}shop WAIT page -> press_home, which a browser lacks | FAILED`,
      `${website}shop TASK_COMPLETE -> ANSWER: Here.`,
    ],
  ]);
  expect((await readdir(join(folder, 'a1', 'trajectory'))).sort()).toEqual(['0000.png', '0001.png', '0002.png']);
});

test('a second attempt leaves nothing of the first', async () => {
  const { environment, judged } = open(website);
  await environment.reset();
  await environment.step([{ type: 'wait', seconds: 0 }]);
  await environment.reset();
  await environment.verdict();
  expect(judged).toEqual([[`${website} TASK_COMPLETE -> ANSWER:`]]);
});

test('a site that cannot be opened is an infrastructure error', async () => {
  const { environment } = open('http://127.0.0.1:1/');
  await expect(environment.reset()).rejects.toMatchObject({ code: 'infra', detail: { part: 'network' } });
});
