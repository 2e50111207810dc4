import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enginePolicy } from '@gyre/agent';
import { EngineThread, loadPolicyCheckpoint, mergePolicies, saveCheckpoint } from '@gyre/engine';
import type { Split } from '@gyre/protocol';
import { LazyReader } from '@gyre/reader';
import type { AnyFamily } from '@gyre/tasks';
import { bestOnSimplex } from '../flywheel/simplex.js';
import { type RolloutProgress, type RolloutResult, playRollouts } from './rollouts.js';

export interface SweepPlan {
  readonly checkpoints: readonly string[];
  readonly families: readonly AnyFamily[];
  /** Weights are multiples of 1 / parts. */
  readonly parts: number;
  /** Per family. */
  readonly devEpisodes: number;
  /** Per family. */
  readonly testEpisodes: number;
  readonly sessions: number;
  readonly browsers: number;
  readonly seed: number;
  /** As for `openReader`. Only policies with a reader use it. */
  readonly reader?: string | undefined;
}

export interface Candidate {
  weights: number[];
  /** Over families. */
  mean: number;
  families: Record<string, number>;
}

export interface Sweep {
  weights: number[];
  dev: Candidate[];
  /** Each specialist's and `merged`. */
  test: { policy: string; mean: number; results: RolloutResult[] }[];
}

/**
 * Searches merging weights on the dev split (see `bestOnSimplex`), then evaluates merged policy and specialists on the
 * same test tasks.
 */
export async function sweepMerge(
  plan: SweepPlan,
  options: { signal: AbortSignal; progress: RolloutProgress; onCandidate?: (candidate: Candidate) => void },
): Promise<Sweep> {
  const [first = ''] = plan.checkpoints;
  const { architecture } = await loadPolicyCheckpoint(first);
  const folder = await mkdtemp(join(tmpdir(), 'gyre-merge-'));
  const engine = await EngineThread.start({ architecture, seed: 1 });
  const reader = new LazyReader({ reader: plan.reader });
  const merged = join(folder, 'merged.safetensors');
  const play = async (name: string, weights: string, split: Split, episodes: number) => {
    await engine.load(weights, { optimiser: false });
    const player = { policy: enginePolicy({ name, engine, architecture, reader }), screenshots: 1 };
    const { results, failure } = await playRollouts(
      { ...plan, split, from: 0, episodes, directory: undefined, purpose: 'merge' },
      player,
      options,
    );
    options.signal.throwIfAborted();
    // Means over different tasks cannot be compared.
    if (failure !== undefined) throw failure as Error;
    const mean = results.reduce((sum, { success }) => sum + success, 0) / results.length;
    return { policy: name, mean, results };
  };
  const mix = async (weights: readonly number[]) => {
    await saveCheckpoint(merged, await mergePolicies(plan.checkpoints, weights));
  };
  try {
    const dev: Candidate[] = [];
    const { best } = await bestOnSimplex(plan.checkpoints.length, plan.parts, async (weights) => {
      await mix(weights);
      const { mean, results } = await play('merged', merged, 'dev', plan.devEpisodes);
      const families = Object.fromEntries(results.map(({ family, success }) => [family, success]));
      const candidate = { weights: [...weights], mean, families };
      dev.push(candidate);
      options.onCandidate?.(candidate);
      return mean;
    });
    await mix(best.weights);
    const test = [];
    for (const path of plan.checkpoints) test.push(await play(path, path, 'test', plan.testEpisodes));
    test.push(await play('merged', merged, 'test', plan.testEpisodes));
    return { weights: [...best.weights], dev, test };
  } finally {
    await Promise.allSettled([engine.close(), reader.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}
