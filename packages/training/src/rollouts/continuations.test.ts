import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Policy } from '@gyre/agent';
import type { Episode } from '@gyre/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tiny } from '../algorithms/tinyEngine.test.fixture.js';
import { Workspace } from '../flywheel/workspace.js';
import { continuationJobs, withValues } from './continuations.js';

let dir: string;
let workspace: Workspace;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gyre-continuations-'));
  workspace = await Workspace.open({ dir, seed: 1, threads: 1, browsers: 1, sessions: 4, architecture: tiny });
});
afterAll(async () => {
  await workspace.close();
  await rm(dir, { recursive: true });
});

const share = 0.8;
const terms = { every: 2, continuations: 16, reads: false };

/** Solves the task with probability `share` per turn, and gives up otherwise. */
function mostlySolving({ turns }: Episode): Policy {
  const decide: Policy['decide'] = ({ turns: past, random }) =>
    Promise.resolve({ actions: random() < share ? turns[past.length]!.actions : [{ type: 'finished' }] });
  return { name: 'mostly solving', decide };
}

/** Mean and variance of the return of `mostlySolving` from a turn on. */
function returnFrom({ turns }: Episode, turn: number): { mean: number; variance: number } {
  let [mean, squares, earned, reached] = [0, 0, 0, 1];
  for (const { reward } of turns.slice(turn)) {
    mean += reached * (1 - share) * earned;
    squares += reached * (1 - share) * earned ** 2;
    reached *= share;
    earned += reward;
  }
  mean += reached * earned;
  return { mean, variance: squares + reached * earned ** 2 - mean ** 2 };
}

describe('continuations', () => {
  let solved: Episode;
  let forks: Episode[];
  beforeAll(async () => {
    const { episodes } = await workspace.play(workspace.oracle, workspace.jobs('maze', 'train', 0, 6, 'solved'));
    solved = episodes.find(({ turns }) => turns.length >= 3)!;
    const [job] = workspace.jobs('maze', 'train', solved.task.seed, 1, 'ppo');
    const jobs = continuationJobs(job!, solved, mostlySolving(solved), terms);
    expect(new Set(jobs.map(({ seed }) => seed)).size).toBe(jobs.length);
    ({ episodes: forks } = await workspace.play(workspace.oracle, jobs));
  });

  it('repeat the frames of the episode up to every second turn, and play on from there', () => {
    const turns = [...solved.turns.keys()].filter((turn) => turn % 2 === 0);
    for (const turn of turns) expect(forks.filter(({ fork }) => fork?.turn === turn)).toHaveLength(terms.continuations);
    for (const { fork, observation, turns, purpose } of forks) {
      expect(purpose).toBe('continuation');
      expect(fork?.episode).toBe(solved.id);
      expect(observation).toEqual(solved.observation);
      const copied = turns.slice(0, fork?.turn);
      expect(copied.map((turn) => turn.observation)).toEqual(
        solved.turns.slice(0, fork?.turn).map((turn) => turn.observation),
      );
      expect(turns.length).toBeGreaterThan(copied.length);
    }
  });

  it('value states without bias: their mean return lies in the interval of the known one', async () => {
    const rollout = {
      episode: solved,
      decisions: [{ family: 'maze', datum: { screenshots: [], sequences: [] }, turn: 0 }],
    };
    const [valued] = withValues(
      [rollout],
      forks.map((episode) => ({ episode })),
      { gamma: 1, reads: false },
    );
    const deviations = [...(valued?.values ?? [])].map(([turn, value]) => {
      const { mean, variance } = returnFrom(solved, turn);
      return (value - mean) / Math.sqrt(variance / terms.continuations);
    });
    expect(deviations.length).toBeGreaterThan(1);
    for (const deviation of deviations) expect(Math.abs(deviation)).toBeLessThan(1.96);

    const again = Array.from({ length: 8 }, (_, run) =>
      [...workspace.jobs('maze', 'train', solved.task.seed, 1, 'again', { attempts: 2 })].map((job) => ({
        ...job,
        seed: job.seed + run,
      })),
    ).flat();
    const { episodes } = await workspace.play(mostlySolving(solved), again);
    const plain = episodes.map(({ turns }) => turns.reduce((sum, { reward }) => sum + reward, 0));
    const { variance } = returnFrom(solved, 0);
    const average = plain.reduce((sum, total) => sum + total, 0) / plain.length;
    expect(Math.abs((valued?.values?.get(0) ?? NaN) - average)).toBeLessThan(
      1.96 * Math.sqrt(variance / terms.continuations + variance / plain.length),
    );
  });

  it('discount their return, and drop rollouts whose first state has none', () => {
    const [fork] = forks.filter(({ fork }) => fork?.turn === 2);
    const turns = fork!.turns.map((turn, index) => ({ ...turn, reward: 2 ** index }));
    const rollout = (turn: number) => ({
      ...{ episode: solved, decisions: [{ family: 'maze', datum: { screenshots: [], sequences: [] }, turn }] },
    });
    const played = [{ episode: { ...fork!, turns } }];
    const valued = withValues([rollout(0), rollout(2)], played, { gamma: 0.5, reads: false });
    expect(valued).toHaveLength(1);
    // Each later reward is twice as high and counts half.
    expect(valued[0]?.values).toEqual(new Map([[2, 4 * (turns.length - 2)]]));
  });
});
