import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Episode } from '@gyre/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PpoIteration } from './iteration.js';
import { ppo } from './practice.js';
import { type GivenSettings, Settings } from './settings.js';
import { tiny } from './tinyEngine.test.fixture.js';
import { Workspace } from './workspace.js';

let dir: string;
let workspace: Workspace;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-practice-'));
  workspace = await Workspace.open({ dir, seed: 1, threads: 1, browsers: 1, sessions: 4, architecture: tiny });
});
afterEach(async () => {
  await workspace.close();
  await rm(dir, { recursive: true });
});

async function practised(given: GivenSettings['ppo'], iterations: number) {
  const settings = Settings.parse({
    from: 'scratch',
    families: ['click', 'maze'],
    ppo: { decisions: 24, minibatch: 8, epochs: 1, replay: { steps: 0 }, ...given },
  });
  const done = await ppo(workspace, settings, ({ iteration }) => iteration === iterations);
  await workspace.lake.flush();
  const episodes: Episode[] = [];
  for await (const episode of workspace.lake.episodes({ purpose: 'ppo' })) episodes.push(episode);
  return { done, episodes };
}
const stale = ({ staleness }: PpoIteration): number => Math.max(...Object.keys(staleness).map(Number));
const played = (episodes: readonly Episode[]): Episode[] => episodes.filter(({ verdict }) => verdict);

it('learns from what the same weights have played, of each family its share', async () => {
  const { done, episodes } = await practised({}, 2);
  expect(done.map(stale)).toEqual([0, 0]);
  expect(done.reduce((sum, iteration) => sum + iteration.episodes, 0)).toBe(episodes.length);
  expect(played(episodes)).toHaveLength(episodes.length);
  expect(new Set(episodes.map(({ task }) => task.family))).toEqual(new Set(['click', 'maze']));
});

it('goes on playing while it learns, with no turn older than is allowed', async () => {
  const { done, episodes } = await practised({ staleness: 2 }, 5);
  // Some were played while the weights changed.
  expect(Math.max(...done.map(stale))).toBeGreaterThan(0);
  // Of optimiser steps: at most those of the two updates before.
  for (const [index, iteration] of done.entries()) {
    const before = done.slice(Math.max(0, index - 2), index);
    const steps = before.reduce((sum, { decisions }) => sum + Math.ceil(decisions / 8), 0);
    expect(stale(iteration)).toBeLessThanOrEqual(steps);
    expect(iteration.decisions).toBeGreaterThan(0);
  }
  // No task is played twice, and what was under way at the end is kept as cut.
  expect(new Set(episodes.map(({ task }) => task.id)).size).toBe(episodes.length);
  const learnt = done.reduce((sum, iteration) => sum + iteration.episodes, 0);
  expect(played(episodes).length).toBeGreaterThanOrEqual(learnt);
  for (const { end, verdict } of episodes) expect(verdict === undefined).toBe(end.state === 'cut');
});

it('refuses groups that are played while the weights change', () => {
  expect(() => Settings.parse({ ppo: { advantage: 'group', staleness: 1 } })).toThrow(/groups are played while/);
});
