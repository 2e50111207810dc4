import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Episodes, EpisodesOptions, Job } from '@gyre/agent';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type SourceState, rolloutSource } from './rolloutSource.js';
import { Settings } from '../flywheel/settings.js';
import { tiny } from '../algorithms/tinyEngine.test.fixture.js';
import { Workspace } from '../flywheel/workspace.js';

let dir: string;
let workspace: Workspace;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-source-'));
  workspace = await Workspace.open({ dir, seed: 1, threads: 1, browsers: 1, sessions: 4, architecture: tiny });
});
afterEach(async () => {
  await workspace.close();
  await rm(dir, { recursive: true });
});

const settingsOf = (families: string[], ppo: object) => Settings.parse({ from: 'scratch', families, ppo });
const reloaded = (state: SourceState) => JSON.parse(JSON.stringify(state)) as SourceState;
const idsOf = ({ open }: SourceState): string[] => open.map(({ family, seed }) => `${family}/train/${seed}`);

it('starts with the open tasks of its predecessor, which stay open until played', async () => {
  const settings = settingsOf(['click', 'maze'], { decisions: 12, staleness: 2 });
  const first = rolloutSource(workspace, settings, undefined);
  const { episodes } = await first.next();
  const stood = reloaded(first.state());
  await first.close();
  const open = idsOf(stood);
  expect(open.length).toBeGreaterThan(0);
  expect(open.filter((id) => episodes.some(({ task }) => task.id === id))).toEqual([]);

  const second = rolloutSource(workspace, settings, undefined, stood);
  const still = reloaded(second.state());
  await second.close();
  expect(idsOf(still)).toEqual(expect.arrayContaining(open));

  const third = rolloutSource(workspace, settings, undefined, still);
  const played: string[] = [];
  for (let batch = 0; batch < 4; batch++) played.push(...(await third.next()).episodes.map(({ task }) => task.id));
  await third.close();
  expect(played).toEqual(expect.arrayContaining(open));
  const started = [...episodes.map(({ task }) => task.id), ...played];
  expect(new Set(started).size).toBe(started.length);
});

it('hands out no more tasks than the first update needs, however long the episodes', async () => {
  const source = rolloutSource(workspace, settingsOf(['mazePathOfLight'], { decisions: 40 }), undefined);
  const { episodes } = await source.next();
  await source.close();
  // Unsolved episodes use their whole budget, twice the prior.
  const budgets = episodes.map(({ task }) => task.stepBudget);
  expect(episodes.reduce((sum, { turns }) => sum + turns.length, 0)).toBeLessThanOrEqual(2 * 40 + Math.max(...budgets));
  expect(Math.max(...budgets)).toBeGreaterThan(20);
});

it('hands out few tasks of hopeless difficulties', async () => {
  const family = 'mazePathOfLight';
  const hopeless = { n: 1000, successes: 0 };
  const half = { n: 1000, successes: 500 };
  const state: SourceState = {
    ...{ seed: 150_000, paces: { [family]: 0.5 }, given: {}, open: [] },
    difficulties: { [family]: { 1: hopeless, 2: hopeless, 3: half, 4: hopeless, 5: hopeless } },
  };
  const shareOfHalf = async (curriculum: boolean): Promise<number> => {
    const settings = settingsOf([family], { curriculum });
    const assigned: Job[] = [];
    async function* giveUp(jobs: Iterable<Job> | AsyncIterable<Job>, onOver: EpisodesOptions['onOver']) {
      for await (const job of jobs) {
        onOver?.(job);
        if (assigned.push(job) === 200) return;
      }
      yield* [];
    }
    const playing: Workspace['playing'] = (_, jobs, options) =>
      Object.assign(giveUp(jobs, options?.onOver), { counts: { infraErrors: 0 } }) as unknown as Episodes;
    const spy = vi.spyOn(workspace, 'playing').mockImplementation(playing);
    const source = rolloutSource(workspace, settings, undefined, state);
    expect((await source.next()).episodes).toEqual([]);
    await source.close();
    spy.mockRestore();
    return assigned.filter(({ task }) => task.difficulty === 3).length / assigned.length;
  };
  expect(await shareOfHalf(false)).toBeLessThan(0.3);
  expect(await shareOfHalf(true)).toBeGreaterThan(0.6);
});
