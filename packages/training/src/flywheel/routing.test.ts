import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lake } from '@gyre/lake';
import type { EpisodeEnd, Split } from '@gyre/protocol';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { routeCycle } from './routing.js';

const size = { width: 160, height: 160 };

interface Played {
  id: string;
  purpose: string;
  task?: number;
  split?: Split;
  turns?: number;
  success?: boolean;
  end?: EpisodeEnd['state'];
  instruction?: string;
}

async function play(lake: Lake, screenshot: string, played: Played): Promise<void> {
  const { id, purpose, task = 1, split = 'train', turns = 1, success, end = 'finished', instruction } = played;
  const observation = { screenshot, size };
  const writer = await lake.begin({
    id,
    task: {
      ...{ id: `click/${split}/${task}`, family: 'click', split, seed: task, surfaces: ['screen'], screen: size },
      ...{ instruction: instruction ?? `do ${id}`, stepBudget: 9 },
    },
    ...{ policy: 'nano', purpose, seed: 1, startedAt: '2026-11-20T14:00:00.000Z', observation },
  });
  for (let index = 0; index < turns; index++) {
    await writer.append({ index, actions: [{ type: 'wait' }], observation, reward: 0 });
  }
  await writer.finish(
    end === 'infra_error' || end === 'agent_fault' ? { state: end, message: 'gone' } : { state: end },
    success === undefined ? undefined : { success, score: success ? 1 : 0, source: 'verifier', evidence: {} },
  );
}

test('every train episode of a cycle goes to one place, and those of earlier cycles are not counted again', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gyre-routing-'));
  const lake = await Lake.open(join(dir, 'lake'));
  onTestFinished(async () => {
    await lake.close();
    await rm(dir, { recursive: true, force: true });
  });
  const png = await sharp({ create: { ...size, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const screenshot = await lake.putScreenshot(png);
  const add = (played: Played) => play(lake, screenshot, played);
  await add({ id: 'shown', purpose: 'demonstration', success: true });
  expect(await routeCycle(lake, dir, 0)).toMatchObject({ pools: { ct: 0, sft: 1, rl: 0 }, tallies: {} });

  await add({ id: 'long', purpose: 'rejection 1', task: 5, turns: 3, success: true });
  await add({ id: 'short', purpose: 'rejection 1', task: 5, turns: 2, success: true });
  await add({ id: 'as short', purpose: 'rejection 1', task: 5, turns: 2, success: true });
  await add({ id: 'missed', purpose: 'rejection 1', task: 5, success: false });
  await add({ id: 'practised', purpose: 'ppo', task: 6, success: true });
  await add({ id: 'failed', purpose: 'ppo', task: 7, success: false });
  await add({ id: 'twin', purpose: 'ppo', task: 8, success: false, instruction: 'do failed' });
  await add({ id: 'broken', purpose: 'ppo', task: 9, end: 'infra_error' });
  await add({ id: 'cut', purpose: 'ppo', task: 9, end: 'cut' });
  await add({ id: 'measured', purpose: 'eval cycle 1', split: 'dev', success: true });
  await add({ id: 'tested', purpose: 'eval trained', split: 'test', success: true });
  const routing = await routeCycle(lake, dir, 1);
  const rows = (await readFile(join(dir, routing.file), 'utf8')).trim().split('\n');
  const places = rows.map((row) => JSON.parse(row) as { episode: string; to: string });
  expect(Object.fromEntries(places.map(({ episode, to }) => [episode, to]))).toEqual({
    ...{ long: 'ct', short: 'sft', 'as short': 'ct', missed: 'ct', practised: 'sft', failed: 'ct' },
    ...{ twin: 'left out', broken: 'left out', cut: 'left out' },
  });
  expect(routing.pools).toEqual({ ct: 4, sft: 3, rl: 0 });
  expect(routing.flows.reduce((sum, { n }) => sum + n, 0)).toBe(9);
  expect(routing.leftOut).toEqual({
    ...{
      'ended by an infrastructure error': 1,
      'cut before its end': 1,
      'near-duplicate of an episode in the CT pool': 1,
    },
  });
  expect(routing.tallies).toEqual({ click: { n: 7, successes: 4 } });

  expect(await routeCycle(lake, dir, 1)).toEqual(routing);
  expect(await routeCycle(lake, dir, 2)).toMatchObject({ flows: [], pools: routing.pools });
});
