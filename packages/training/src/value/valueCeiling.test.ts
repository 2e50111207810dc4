import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Policy, randomPolicy } from '@gyre/agent';
import { Random } from '@gyre/engine';
import { isCopied } from '@gyre/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tiny } from '../algorithms/tinyEngine.test.fixture.js';
import { ceilingOf, valueCeiling } from './valueCeiling.js';
import { Workspace } from '../flywheel/workspace.js';

describe('the ceiling of pairs of returns', () => {
  const pairs = (n: number, noise: number, random: Random): [number, number][] =>
    Array.from({ length: n }, () => {
      const expected = random.normal();
      return [expected + noise * random.normal(), expected + noise * random.normal()];
    });

  it('is the share of the variance that lies in what they have in common', () => {
    const { explainedVariance, low, high } = ceilingOf(pairs(4000, 1, new Random(1)));
    expect(explainedVariance).toBeCloseTo(0.5, 1);
    expect(high - low).toBeCloseTo((2 * 1.96 * 0.75) / Math.sqrt(4000), 2);
  });

  it('lies in its interval 95 times of 100', () => {
    const random = new Random(2);
    const caught = Array.from({ length: 400 }, () => ceilingOf(pairs(60, Math.sqrt(3), random))).filter(
      ({ low, high }) => low <= 0.25 && 0.25 <= high,
    );
    expect(caught.length / 400).toBeGreaterThan(0.92);
    expect(caught.length / 400).toBeLessThan(0.98);
  });

  it('is unknown where all returns are the same', () => {
    expect(ceilingOf(Array.from({ length: 9 }, () => [0, 0] as const)).explainedVariance).toBeNaN();
  });

  it('needs four pairs', () => {
    expect(() => ceilingOf(pairs(3, 1, new Random(1)))).toThrow(/3 pairs/);
  });
});

describe('the ceiling of a policy', () => {
  let dir: string;
  let workspace: Workspace;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gyre-ceiling-'));
    workspace = await Workspace.open({ dir, seed: 1, threads: 1, browsers: 1, sessions: 4, architecture: tiny });
  });
  afterEach(async () => {
    await workspace.close();
    await rm(dir, { recursive: true });
  });

  async function measured(policy: Policy) {
    const { episodes } = await workspace.play(policy, workspace.jobs('maze', 'train', 0, 12, 'value'));
    const ceiling = await valueCeiling(workspace, policy, episodes, { pairs: 30, gamma: 0.9, random: new Random(1) });
    await workspace.lake.flush();
    return ceiling;
  }

  it('is 1 for one that always does the same', async () => {
    const keys = ['arrowright', 'arrowdown', 'arrowleft', 'arrowup', 'arrowright'];
    const decide: Policy['decide'] = ({ turns }) =>
      Promise.resolve({ actions: [{ type: 'hotkey', keys: keys[(turns.length * 7) % 5]! }] });
    const ceiling = await measured({ name: 'unchanging', decide });
    expect(ceiling.explainedVariance).toBeCloseTo(1, 9);
  });

  it('is less for one that draws lots; what it plays once more is a fork, with the first turns as they were', async () => {
    const ceiling = await measured(randomPolicy({ functions: ['hotkey'] }));
    expect(ceiling.pairs).toBe(30);
    expect(ceiling.explainedVariance).toBeLessThan(0.95);
    let forks = 0;
    for await (const { fork, turns, ...episode } of workspace.lake.episodes({ purpose: 'value' })) {
      if (!fork) continue;
      forks++;
      expect(turns.filter((turn) => isCopied({ ...episode, fork }, turn))).toHaveLength(fork.turn);
    }
    expect(forks).toBe(30);
  });
});
