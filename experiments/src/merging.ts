import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mergePolicies, pixelPolicyName, saveCheckpoint, weightsFile } from '@gyre/engine';
import { Settings, Workspace, architectureOf, bestOnSimplex, measure, trainRl } from '@gyre/training';
import { type MergingMeasurement, writeMerging } from './mergingPage.js';
import { Records } from './records.js';

/**
 * Trains a specialist per family and interpolates their weights; compares with one policy trained on all families for
 * as many environment steps together. Resumes an interrupted run.
 *
 *     node experiments/dist/merging.js --directory runs/merging --families vault,tabs --steps 4000
 */
const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/merging' },
    families: { type: 'string', default: 'vault,tabs' },
    steps: { type: 'string', default: '4000' },
    parts: { type: 'string', default: '4' },
    dev: { type: 'string', default: '60' },
    tasks: { type: 'string', default: '200' },
    seeds: { type: 'string', default: '1,2,3' },
    sessions: { type: 'string', default: '24' },
    threads: { type: 'string', default: '2' },
  },
});
const families = flags.families.split(',');
const [steps, parts] = [Number(flags.steps), Number(flags.parts)];
const [dev, tasks] = [Number(flags.dev), Number(flags.tasks)];
const joint = 'all families';
const records = await Records.open<MergingMeasurement>(join(flags.directory, 'merging.jsonl'));
for (const seed of flags.seeds.split(',').map(Number)) {
  if (records.entries.some((one) => one.seed === seed)) continue;
  const measurement = await merged(seed);
  await records.add(measurement);
  process.stderr.write(`${JSON.stringify(measurement)}\n`);
}
await writeMerging(join(flags.directory, 'merging.html'), records.entries, { steps, dev, tasks });

async function merged(seed: number): Promise<MergingMeasurement> {
  const dir = join(flags.directory, String(seed));
  await rm(dir, { recursive: true, force: true });
  const policies: Record<string, string> = { base: weightsFile(pixelPolicyName) };
  for (const family of families) policies[family] = await practised(dir, seed, family, [family], steps);
  policies[joint] = await practised(dir, seed, 'all', families, steps * families.length);

  const settings = settingsOf(seed, families);
  const workspace = await Workspace.open({
    dir: join(dir, 'measured'),
    ...settings,
    architecture: await architectureOf(settings),
  });
  const specialists = families.map((family) => policies[family]!);
  /** Returns success by family. */
  const success = async (weights: string, split: 'dev' | 'test', episodes: number): Promise<Record<string, number>> => {
    await workspace.engine.load(weights, { optimiser: false });
    const counts = Object.fromEntries(families.map((family) => [family, episodes]));
    const { results } = await measure(workspace, { families, episodes: counts, split, purpose: `eval ${split}` });
    return Object.fromEntries(results.map((result) => [result.family, result.success]));
  };
  const mix = async (name: string, weights: readonly number[]): Promise<string> => {
    const file = join(dir, `${name}.safetensors`);
    await saveCheckpoint(file, await mergePolicies(specialists, weights));
    return file;
  };
  try {
    const candidates: MergingMeasurement['dev'] = [];
    const { best } = await bestOnSimplex(families.length, parts, async (weights) => {
      const shares = await success(await mix('candidate', weights), 'dev', dev);
      candidates.push({ weights: [...weights], success: shares });
      return families.reduce((sum, family) => sum + shares[family]! / families.length, 0);
    });
    const even = families.map(() => 1 / families.length);
    policies['merged, evenly'] = await mix('even', even);
    policies['merged, best on dev'] = await mix('best', best.weights);
    const test: MergingMeasurement['test'] = {};
    for (const [name, file] of Object.entries(policies)) test[name] = await success(file, 'test', tasks);
    return { seed, weights: [...best.weights], dev: candidates, test };
  } finally {
    await workspace.close();
  }
}

function settingsOf(seed: number, practisedFamilies: readonly string[]): Settings {
  const { sessions, threads } = flags;
  return Settings.parse({
    ...{
      seed,
      from: pixelPolicyName,
      families: [...practisedFamilies],
      sessions: Number(sessions),
      threads: Number(threads),
    },
    ppo: { replay: { steps: 0 } },
  });
}

/** Trains by PPO alone, from the pixel policy, and returns the weights. */
async function practised(
  dir: string,
  seed: number,
  name: string,
  practisedFamilies: readonly string[],
  maxSteps: number,
): Promise<string> {
  const settings = settingsOf(seed, practisedFamilies);
  const workspace = await Workspace.open({
    dir: join(dir, name),
    ...settings,
    architecture: await architectureOf(settings),
  });
  try {
    await workspace.engine.load(weightsFile(pixelPolicyName), { optimiser: false });
    let share = 0;
    await trainRl(workspace, settings, ({ environmentSteps }) => environmentSteps >= maxSteps, {
      progress: () => share,
      onIteration: ({ environmentSteps }) => {
        share = environmentSteps / maxSteps;
      },
    });
    const file = join(dir, `${name}.safetensors`);
    await workspace.engine.save(file);
    return file;
  } finally {
    await workspace.close();
  }
}
