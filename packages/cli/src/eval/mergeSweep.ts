import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativePolicy } from '@gyre/agent';
import { EngineThread, loadPolicyCheckpoint, mergePolicies, saveCheckpoint } from '@gyre/engine';
import type { Split } from '@gyre/protocol';
import type { AnyFamily } from '@gyre/tasks';
import { bestOnSimplex } from '@gyre/training';
import { UsageError } from '../command.js';
import type { Progress } from '../terminal/progress.js';
import { playRollouts, reasonAgainst, type RolloutResult } from './rollouts.js';
import { share } from '../terminal/table.js';

export interface SweepPlan {
  readonly checkpoints: readonly string[];
  readonly families: readonly AnyFamily[];
  /** Weights are multiples of 1 / parts. */
  readonly parts: number;
  /** Per family and candidate, on the dev split. */
  readonly devEpisodes: number;
  /** Per family, on the test split. */
  readonly testEpisodes: number;
  readonly sessions: number;
  readonly browsers: number;
  readonly seed: number;
}

/** Weights and their result on the dev split. */
export interface Candidate {
  weights: number[];
  /** Mean success of the families. */
  mean: number;
  families: Record<string, number>;
}

export interface Sweep {
  weights: number[];
  dev: Candidate[];
  /** Results on the test split of each specialist and of `merged`. */
  test: { policy: string; mean: number; results: RolloutResult[] }[];
}

/**
 * Searches the merging weights that do best on the dev split (see `bestOnSimplex`), and evaluates the merged policy and each specialist on
 * the same tasks of the test split.
 *
 * @throws UsageError for families that cannot be played here; errors of `mergePolicies` and `playRollouts`; the reason of the abort.
 */
export async function sweepMerge(
  plan: SweepPlan,
  options: { signal: AbortSignal; progress: Progress; onCandidate?: (candidate: Candidate) => void },
): Promise<Sweep> {
  for (const family of plan.families) {
    const reason = reasonAgainst(family, false);
    if (reason === undefined) continue;
    throw new UsageError(`${family.name} cannot be played: ${reason}`, { field: '--family', fix: 'name others' });
  }
  const [first = ''] = plan.checkpoints;
  const { architecture } = await loadPolicyCheckpoint(first);
  const folder = await mkdtemp(join(tmpdir(), 'gyre-merge-'));
  const engine = await EngineThread.start({ architecture, seed: 1 });
  const merged = join(folder, 'merged.safetensors');
  const play = async (name: string, weights: string, split: Split, episodes: number) => {
    await engine.load(weights, { optimiser: false });
    const opened = { policy: nativePolicy({ name, engine }), screenshots: 1, close: () => Promise.resolve() };
    const { results, failure } = await playRollouts(
      { ...plan, split, from: 0, episodes, directory: undefined, purpose: 'merge' },
      opened,
      options,
    );
    options.signal.throwIfAborted();
    // A mean over only some of the tasks compares with no other.
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
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns header and rows: one row per family, and their mean. */
export function sweepTable({ test }: Pick<Sweep, 'test'>): [header: string[], rows: string[][]] {
  const families = test[0]?.results.map(({ family }) => family) ?? [];
  const cell = (family: string) =>
    test.map(({ results }) => {
      const result = results.find((one) => one.family === family);
      return result ? share(result) : '';
    });
  return [
    ['family', ...test.map(({ policy }) => policy)],
    [
      ...families.map((family) => [family, ...cell(family)]),
      [`mean of ${families.length}`, ...test.map(({ mean }) => `${(100 * mean).toFixed(1)} %`)],
    ],
  ];
}
