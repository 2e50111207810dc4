import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { weightsFile } from '@gyre/engine';
import { Settings, Workspace, architectureOf, measure, trainRl } from '@gyre/training';
import { parseSettings } from './parseSettings.js';
import { type HybridMeasurement, writeHybrid } from './hybridPage.js';
import { Records } from './records.js';
import { fineTunedWeights } from './fineTunedWeights.js';

/**
 * Trains a policy through two interfaces, half of the decisions each, and compares it with one that trains as many
 * decisions on the screen alone. Both start from the pixel policy after demonstrations of both interfaces, or from
 * `--from`. Resumes after the last finished seed. `--settings` takes JSON, as the settings of a run.
 *
 *     node experiments/dist/hybrid.js --directory runs/hybrid --family vault --steps 3000
 */
const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/hybrid' },
    /** A family that exists with a shell too. */
    family: { type: 'string', default: 'readAndType' },
    demonstrations: { type: 'string', default: '300' },
    sft: { type: 'string', default: '600' },
    steps: { type: 'string', default: '3000' },
    tasks: { type: 'string', default: '150' },
    seeds: { type: 'string', default: '1,2,3' },
    /** All seeds share the start of the first. */
    'one-start': { type: 'boolean', default: false },
    sessions: { type: 'string', default: '24' },
    threads: { type: 'string', default: '2' },
    from: { type: 'string', default: 'pixels' },
    settings: { type: 'string', default: '{}' },
  },
});
const [steps, tasks, demonstrations] = [Number(flags.steps), Number(flags.tasks), Number(flags.demonstrations)];
const gui = flags.family;
const families = [gui, `shell.${gui}`];
const baseSettings = parseSettings(flags.settings, families);
const records = await Records.open<HybridMeasurement>(join(flags.directory, 'hybrid.jsonl'));
const seeds = flags.seeds.split(',').map(Number);
let start: Awaited<ReturnType<typeof started>> | undefined;
for (const seed of seeds) {
  if (records.entries.some((one) => one.seed === seed)) continue;
  if (!flags['one-start']) start = await started(seed);
  start ??= await started(seeds[0] ?? seed);
  const alone = await practised(seed, 'alone', [gui], start.weights);
  const both = await practised(seed, 'both', families, start.weights);
  const measurement = { seed, start: start.success, alone, both };
  await records.add(measurement);
  process.stderr.write(`${JSON.stringify(measurement)}\n`);
}
await writeHybrid(join(flags.directory, 'hybrid.html'), records.entries, { steps, tasks });

function settingsOf(seed: number, chosen: readonly string[]): Settings {
  return Settings.parse({
    ...{
      ...baseSettings,
      seed,
      from: flags.from,
      families: [...chosen],
      sessions: Number(flags.sessions),
      threads: Number(flags.threads),
    },
    demonstrations: Object.fromEntries(families.map((family) => [family, demonstrations])),
    ppo: { replay: { steps: 0 }, ...baseSettings.ppo },
  });
}

async function heldOut(workspace: Workspace): Promise<Record<string, number>> {
  const episodes = Object.fromEntries(families.map((family) => [family, tasks]));
  const { results } = await measure(workspace, { families, episodes, split: 'test', purpose: 'eval test' });
  return Object.fromEntries(results.map(({ family, success }) => [family, success]));
}

/** Returns the common start and its success. */
async function started(seed: number): Promise<{ weights: string; success: Record<string, number> }> {
  const dir = join(flags.directory, `start-${seed}`);
  await rm(dir, { recursive: true, force: true });
  const settings = settingsOf(seed, families);
  const workspace = await Workspace.open({ dir, ...settings, architecture: await architectureOf(settings) });
  try {
    const from = weightsFile(flags.from);
    const weights =
      demonstrations === 0 ? from : await fineTunedWeights(workspace, settings, { from, steps: Number(flags.sft) });
    await workspace.engine.load(weights, { optimiser: false });
    return { weights, success: await heldOut(workspace) };
  } finally {
    await workspace.close();
  }
}

/** Trains from the weights, and measures both interfaces. */
async function practised(
  seed: number,
  name: string,
  chosen: readonly string[],
  weights: string,
): Promise<Record<string, number>> {
  const settings = settingsOf(seed, chosen);
  const dir = join(flags.directory, `${name}-${seed}`);
  await rm(dir, { recursive: true, force: true });
  const workspace = await Workspace.open({ dir, ...settings, architecture: await architectureOf(settings) });
  try {
    await workspace.engine.load(weights, { optimiser: false });
    let share = 0;
    await trainRl(workspace, settings, ({ environmentSteps }) => environmentSteps >= steps, {
      progress: () => share,
      onIteration: ({ environmentSteps }) => {
        share = environmentSteps / steps;
      },
    });
    return await heldOut(workspace);
  } finally {
    await workspace.close();
  }
}
