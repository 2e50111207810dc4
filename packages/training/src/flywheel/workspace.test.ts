import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oraclePolicy, type Policy, randomPolicy } from '@gyre/agent';
import { type Episode, GyreError } from '@gyre/protocol';
import { families } from '@gyre/tasks';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { type RolloutPlan, playRollouts } from '../evaluation/rollouts.js';
import { tinyScene } from '../algorithms/tinyEngine.test.fixture.js';
import { playHeldOut } from './heldOut.js';
import { Workspace } from './workspace.js';

let dir: string;
let workspace: Workspace;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-workspace-'));
  const architecture = tinyScene;
  workspace = await Workspace.open({ dir, seed: 1, threads: 1, browsers: 1, sessions: 2, architecture });
});
afterAll(async () => {
  await workspace.close();
  await rm(dir, { recursive: true });
});

const readersOf = ({ turns }: Episode) => [...new Set(turns.map(({ reading }) => reading?.reader))];

test('a policy with a reader trains on simulated readings, and its labels have targets', async () => {
  const [rollout] = (await workspace.play(oraclePolicy, workspace.jobs('menu', 'train', 4, 1, 'ppo'))).episodes;
  expect(readersOf(rollout!)).toEqual(['simulated']);
  expect(rollout?.turns[0]?.targets).toBeUndefined();
  const jobs = workspace.jobs('menu', 'train', 0, 2, 'demonstration');
  const { episodes } = await workspace.play(oraclePolicy, jobs);
  expect(episodes.flatMap(readersOf)).toEqual(['simulated', 'simulated']);
  expect(episodes.every(({ turns }) => turns.every(({ targets }) => targets?.[0]))).toBe(true);
  expect(JSON.stringify(episodes)).not.toContain('advice');
  const explored = workspace.jobs('menu', 'train', 2, 2, 'advised');
  const played = await workspace.play(randomPolicy({ functions: ['click'] }), explored, { advise: true });
  expect(played.episodes.flatMap(({ turns }) => turns).length).toBeGreaterThan(2);
  for (const { turns } of played.episodes) {
    for (const { advice } of turns) expect(advice).toMatchObject({ actions: [{ type: 'click' }], targets: [{}] });
  }
  await workspace.lake.flush();
  const stored: Episode[] = [];
  for await (const episode of workspace.lake.episodes({ purpose: 'advised' })) stored.push(episode);
  expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(played.episodes.map(({ id }) => id)));
  expect(stored.flatMap(({ turns }) => turns).every(({ advice }) => advice)).toBe(true);
});

test('episodes of the other splits have none of them', async () => {
  for (const split of ['dev', 'test'] as const) {
    const heldOut = { families: ['menu'], episodes: { menu: 1 }, split, purpose: split };
    const { episodes } = await playHeldOut(workspace, oraclePolicy, heldOut);
    expect(episodes.flatMap(readersOf)).toEqual([undefined]);
    expect(episodes.every(({ turns }) => turns.every(({ targets }) => targets === undefined))).toBe(true);
  }
});

test('an evaluation whose policy does not answer is no result', async () => {
  const policy: Policy = {
    name: 'gone',
    decide: () => Promise.reject(new GyreError('infra', 'the model server does not answer', { part: 'model_server' })),
  };
  const heldOut = { families: ['click'], episodes: { click: 2 }, split: 'test', purpose: 'test' } as const;
  await expect(playHeldOut(workspace, policy, heldOut)).rejects.toMatchObject({
    code: 'infra',
    message: expect.stringMatching(/^2 of 2 held-out episodes failed, the last with: .*the model server/) as unknown,
  });
});

test('an evaluation cannot ask for them', async () => {
  expectTypeOf<RolloutPlan>().not.toHaveProperty('aids');
  for (const split of ['train', 'test'] as const) {
    const episodes: Episode[] = [];
    const plan = { families: [families.click], split, from: 0, episodes: 1, sessions: 1, browsers: 1 };
    await playRollouts(
      { ...plan, directory: undefined, purpose: 'eval', seed: 1 },
      { policy: oraclePolicy, screenshots: 1 },
      {
        signal: new AbortController().signal,
        progress: { update: () => undefined },
        onEpisode: (episode) => episodes.push(episode),
      },
    );
    expect(episodes.flatMap(readersOf)).toEqual([undefined]);
    expect(JSON.stringify(episodes)).not.toMatch(/"(?:reading|targets|advice)"/);
  }
}, 60_000);
