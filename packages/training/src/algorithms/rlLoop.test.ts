import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Episode } from '@gyre/protocol';
import { loadCheckpoint, pixelPolicyName, weightsFile } from '@gyre/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PpoIteration } from './iteration.js';
import { Journal } from '../flywheel/journal.js';
import { trainRl } from './rlLoop.js';
import { type GivenSettings, Settings } from '../flywheel/settings.js';
import { tiny } from './tinyEngine.test.fixture.js';
import { Workspace } from '../flywheel/workspace.js';

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

async function practised(ppo: GivenSettings['ppo'], iterations: number) {
  const settings = Settings.parse({
    from: 'scratch',
    families: ['click', 'maze'],
    ppo: { decisions: 24, minibatch: 8, epochs: 1, replay: { steps: 0 }, ...ppo },
  });
  const done = await trainRl(workspace, settings, ({ iteration }) => iteration === iterations);
  await workspace.lake.flush();
  const episodes: Episode[] = [];
  for await (const episode of workspace.lake.episodes({ purpose: 'ppo' })) episodes.push(episode);
  return { done, episodes };
}
const stale = ({ staleness }: PpoIteration): number => Math.max(...Object.keys(staleness).map(Number));
const played = (episodes: readonly Episode[]): Episode[] => episodes.filter(({ verdict }) => verdict);

it('trains on episodes of the current weights, each family with its share', async () => {
  const { done, episodes } = await practised({}, 2);
  expect(done.map(stale)).toEqual([0, 0]);
  expect(done.reduce((sum, iteration) => sum + iteration.episodes, 0)).toBe(episodes.length);
  expect(played(episodes)).toHaveLength(episodes.length);
  expect(new Set(episodes.map(({ task }) => task.family))).toEqual(new Set(['click', 'maze']));
});

it('plays during updates, with no turn older than allowed', async () => {
  const { done, episodes } = await practised({ staleness: 2 }, 6);
  expect(Math.max(...done.map(stale))).toBeGreaterThan(0);
  // Counts optimiser steps of two earlier updates and the current one.
  for (const [index, iteration] of done.entries()) {
    const before = done.slice(Math.max(0, index - 3), index);
    const steps = before.reduce((sum, { decisions }) => sum + Math.ceil(decisions / 8), 0);
    expect(stale(iteration)).toBeLessThanOrEqual(steps);
    expect(iteration.decisions).toBeGreaterThan(0);
  }
  expect(new Set(episodes.map(({ task }) => task.id)).size).toBe(episodes.length);
  const learnt = done.reduce((sum, iteration) => sum + iteration.episodes, 0);
  expect(played(episodes).length).toBeGreaterThanOrEqual(learnt);
  for (const { end, verdict } of episodes) expect(verdict === undefined).toBe(end.state === 'cut');
});

it('compares all attempts at a task, also where they were played while the weights changed', async () => {
  const { done, episodes } = await practised(
    { advantage: 'group', staleness: 1, group: { size: 3, filter: false }, decisions: 30 },
    4,
  );
  expect(Math.max(...done.map(stale))).toBeGreaterThan(0);
  const attempts = new Map<string, number>();
  for (const { task } of played(episodes)) attempts.set(task.id, (attempts.get(task.id) ?? 0) + 1);
  const whole = [...attempts.values()].filter((count) => count === 3).length;
  const learnt = done.reduce((sum, { groups }) => sum + (groups?.tasks ?? 0), 0);
  expect(learnt).toBeGreaterThan(0);
  expect(whole).toBeGreaterThanOrEqual(learnt);
  expect(done.reduce((sum, iteration) => sum + iteration.episodes, 0)).toBe(3 * learnt);
});

it.each([0, 1])('values states by continuations, whose steps count, with staleness %i', async (staleness) => {
  const vineppo = { every: 8, continuations: 2 };
  const { done, episodes } = await practised({ advantage: 'vineppo', vineppo, staleness, decisions: 6 }, 2);
  const forks: Episode[] = [];
  for await (const episode of workspace.lake.episodes({ purpose: 'continuation' })) forks.push(episode);
  expect(done.every(({ decisions }) => decisions > 0)).toBe(true);
  const counted = done.map(({ continuations }) => continuations!);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const ended = played(forks);
  // Asynchronous play has episodes of the next batches under way.
  expect(sum(counted.map((counts) => counts.episodes))).toBeLessThanOrEqual(ended.length);
  for (const { episodes: forked, steps, replayed } of counted) {
    expect(forked).toBeGreaterThan(0);
    expect(steps).toBeGreaterThan(replayed);
  }
  if (staleness > 0) return;
  const steps = (all: readonly Episode[]) => sum(all.map(({ turns }) => turns.length));
  expect(done.at(-1)?.environmentSteps).toBe(steps(episodes) + steps(ended));
  expect(sum(counted.map((counts) => counts.replayed))).toBe(sum(ended.map(({ fork }) => fork?.turn ?? NaN)));
  const valued = sum(played(episodes).map(({ turns }) => Math.ceil(turns.length / vineppo.every)));
  expect(ended).toHaveLength(valued * vineppo.continuations);
});

describe('interrupted training', () => {
  const settings = Settings.parse({
    families: ['click'],
    ppo: {
      ...{ decisions: 10, minibatch: 5, epochs: 1, learningRate: 1e-3, kl: 0.1 },
      replay: { steps: 1, decisions: 4, perception: 1 },
    },
  });
  const iterations = 2;

  interface Trace {
    results: object[];
    weights: Record<string, string>;
  }
  interface Cut {
    played?: (iteration: number, stop: AbortController) => void;
    save?: (path: string) => void;
  }

  const digest = (data: Float32Array) =>
    createHash('sha256')
      .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
      .digest('hex');

  /** Resumes as another process would. One session fixes the batches of decisions. */
  async function goOn(folder: string, { played, save }: Cut = {}): Promise<Trace> {
    const opened = await Workspace.open({
      dir: folder,
      seed: 1,
      threads: 1,
      browsers: 1,
      sessions: 1,
    });
    await opened.engine.load(weightsFile(pixelPolicyName), { optimiser: false });
    const stop = new AbortController();
    let number = 0;
    try {
      const holder = {
        save: async (path: string) => {
          save?.(path);
          await opened.engine.save(path);
        },
        load: (path: string) => opened.engine.load(path),
      };
      const journal = await Journal.open(join(folder, 'practice'), {
        run: {},
        resume: true,
        weights: holder,
        signal: stop.signal,
      });
      const done = await trainRl(opened, settings, ({ iteration }) => iteration === iterations, {
        ...{ journal, signal: stop.signal },
        progress: () => {
          played?.(number + 1, stop);
          return number / iterations;
        },
        onIteration: ({ iteration }) => {
          number = iteration;
        },
      });
      const weights = join(folder, 'end.safetensors');
      await opened.engine.save(weights);
      const { tensors } = await loadCheckpoint(weights);
      return {
        results: done.map(({ rolloutSeconds: _r, updateSeconds: _u, shares: _s, replay, ...result }) => ({
          ...result,
          losses: replay?.demonstrationLoss,
        })),
        weights: Object.fromEntries(Object.entries(tensors).map(([name, { data }]) => [name, digest(data)])),
      };
    } finally {
      await opened.close();
    }
  }

  it('resumes with the result of an uninterrupted run', async () => {
    const whole = await mkdtemp(join(tmpdir(), 'gyre-practice-'));
    const broken = await mkdtemp(join(tmpdir(), 'gyre-practice-'));
    try {
      const expected = await goOn(whole);
      expect(expected.results).toHaveLength(iterations);
      expect(expected.results.at(-1)).toMatchObject({ losses: expect.any(Number) as number });
      await goOn(broken, { played: (iteration, stop) => iteration === 2 && stop.abort() });
      const full = new Error('full');
      const saving = goOn(broken, {
        save: () => {
          throw full;
        },
      });
      await expect(saving).rejects.toBe(full);
      const trace = await goOn(broken);
      expect(trace.results).toEqual(expected.results);
      expect(trace.weights).toEqual(expected.weights);
    } finally {
      await Promise.all([whole, broken].map((folder) => rm(folder, { recursive: true })));
    }
  }, 180_000);
});
