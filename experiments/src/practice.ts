import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { weightsFile } from '@gyre/engine';
import {
  type GivenSettings,
  Settings,
  type ValueEpoch,
  Workspace,
  architectureOf,
  measure,
  trainRl,
  valuePretraining,
} from '@gyre/training';
import { parseSettings } from './parseSettings.js';
import type { PracticeMeasurement } from './practiceMeasurement.js';
import { type Baseline, type Metric, writePractice } from './practicePage.js';
import { Records } from './records.js';
import { fineTunedWeights } from './fineTunedWeights.js';

/** No supervised steps between the updates. */
const none = { steps: 0 };

/**
 * Trains variants of RL for the same environment steps and measures held-out tasks before and after. Resumes an
 * interrupted run.
 *
 *     node experiments/dist/practice.js --directory runs/practice --families vault,tabs --steps 4000
 *
 * With `--alone` each family is trained by itself, in one variant. With `--by score` the page compares the verifiers'
 * scores. With `--latency` each turn takes so many seconds longer on average. With `--demonstrations` all variants
 * start after `--sft` supervised steps on so many demonstrations per family. `--settings` takes JSON, as the settings
 * of a run.
 */
const variants: Readonly<Record<string, GivenSettings['ppo']>> = {
  'PPO and imitation': {},
  'PPO alone': { replay: none },
  // Supervised steps on successes (RFT). The update moves nothing, but its gradients are in the moments of the
  // optimiser, which the supervised steps share.
  'imitation alone': { learningRate: 1e-9 },
  'GRPO and imitation': { advantage: 'group' },
  'GRPO alone': { replay: none, advantage: 'group' },
  // The rest against PPO alone: only one thing differs.
  critic: { replay: none, advantage: 'critic' },
  'critic with adaptive lambda': { replay: none, advantage: 'critic', lambdaPolicy: 'adaptive' },
  'critic without pretraining': { replay: none, advantage: 'critic', criticEpisodes: 0 },
  'symmetric clip': { replay: none, clipHigh: 0.2 },
  'dual clip': { replay: none, dualClip: 3 },
  asynchronous: { replay: none, staleness: 1, behaviourCap: 5 },
  // For families whose longest episodes take as long as three updates.
  'asynchronous by two': { replay: none, staleness: 2, behaviourCap: 5 },
};

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/practice' },
    variants: { type: 'string', default: Object.keys(variants).slice(0, 4).join(',') },
    families: { type: 'string', default: 'vault,tabs' },
    steps: { type: 'string', default: '4000' },
    tasks: { type: 'string', default: '150' },
    seeds: { type: 'string', default: '1,2,3' },
    sessions: { type: 'string', default: '32' },
    threads: { type: 'string', default: '2' },
    from: { type: 'string', default: 'pixels' },
    settings: { type: 'string', default: '{}' },
    demonstrations: { type: 'string', default: '0' },
    sft: { type: 'string', default: '400' },
    latency: { type: 'string', default: '0' },
    by: { type: 'string', default: 'success' },
    alone: { type: 'boolean', default: false },
  },
});
const families = flags.families.split(',');
const seeds = flags.seeds.split(',').map(Number);
const chosen = flags.variants.split(',');
const unknown = chosen.find((name) => !(name in variants));
if (unknown !== undefined)
  throw new Error(`there is no variant "${unknown}"; --variants knows ${Object.keys(variants).join(', ')}`);
const [steps, tasks, sessions] = [Number(flags.steps), Number(flags.tasks), Number(flags.sessions)];
const threads = Number(flags.threads);
const records = await Records.open<PracticeMeasurement>(join(flags.directory, 'practice.jsonl'));
const measurements = records.entries;
if (flags.by !== 'success' && flags.by !== 'score') throw new Error('--by is success or score');
const by: Metric = flags.by;
const from = weightsFile(flags.from);
const demonstrationCount = Number(flags.demonstrations);
const shared = parseSettings(flags.settings, families);
if (flags.alone && chosen.length > 1) throw new Error('--alone is for one way: add --variants "PPO alone"');
for (const practisedFamilies of flags.alone ? families.map((family) => [family]) : [families]) {
  for (const seed of seeds) {
    for (const variant of chosen) {
      if (measurements.some((one) => one.variant === variant && covers(one, practisedFamilies) && one.seed === seed))
        continue;
      const measurement = await practised(variant, seed, practisedFamilies);
      await records.add(measurement);
      process.stderr.write(`${JSON.stringify({ ...measurement, curve: measurement.curve.at(-1) })}\n`);
    }
  }
}
const { results: baselines } = JSON.parse(
  await readFile(join(import.meta.dirname, '../../docs/research/baselines.json'), 'utf8'),
) as { results: Baseline[] };
const compared = by === 'score' ? measurements.map(byScore) : measurements;
await writePractice(join(flags.directory, 'practice.html'), flags.alone ? compared.map(byFamily) : compared, {
  ...{ steps, tasks, baselines, by, alone: flags.alone, curriculum: settingsOf(0, families).ppo.curriculum },
});

/** Names files of a seed, and of its families with `--alone`. */
function nameOf(name: string, families: readonly string[], seed: number): string {
  return [name.replaceAll(' ', '-'), ...(flags.alone ? families : []), seed].join('-');
}

function settingsOf(seed: number, families: readonly string[], ppo: GivenSettings['ppo'] = {}): Settings {
  return Settings.parse({
    ...{ ...shared, seed, from: flags.from, families: [...families], sessions, threads },
    ppo: { ...shared.ppo, ...ppo, replay: { ...shared.ppo?.replay, ...ppo.replay } },
    demonstrations: Object.fromEntries(families.map((family) => [family, demonstrationCount])),
  });
}

/** Returns the weights that all variants of a seed start from. */
async function startOf(seed: number, families: readonly string[]): Promise<string> {
  if (demonstrationCount === 0) return from;
  const dir = join(flags.directory, nameOf('start', families, seed));
  const weights = join(dir, 'start.safetensors');
  if (await stat(weights).catch(() => undefined)) return weights;
  await rm(dir, { recursive: true, force: true });
  const settings = settingsOf(seed, families);
  const workspace = await Workspace.open({ dir, ...settings, architecture: await architectureOf(settings) });
  try {
    return await fineTunedWeights(workspace, settings, { from, steps: Number(flags.sft) });
  } finally {
    await workspace.close();
  }
}

/** Whether a measurement covers these families, and no others. */
function covers({ start }: PracticeMeasurement, practisedFamilies: readonly string[]): boolean {
  return Object.keys(start).join() === practisedFamilies.join();
}

/** Replaces success by scores. */
function byScore({ scores, ...rest }: PracticeMeasurement): PracticeMeasurement {
  if (scores === undefined) throw new Error('these runs kept no scores: run them again, or leave out --by');
  return { ...rest, ...scores };
}

/** Renames the measurement of one family by the family. */
function byFamily({ start, trained, curve, ...rest }: PracticeMeasurement): PracticeMeasurement {
  const success = (shares: Readonly<Record<string, number>>) => ({ success: Object.values(shares)[0] ?? NaN });
  return {
    ...{ ...rest, variant: Object.keys(start)[0] ?? '', start: success(start), trained: success(trained) },
    curve: curve.map((point) => ({ ...point, success: success(point.success) })),
  };
}

async function practised(variant: string, seed: number, families: readonly string[]): Promise<PracticeMeasurement> {
  const weights = await startOf(seed, families);
  const dir = join(flags.directory, nameOf(variant, families, seed));
  await rm(dir, { recursive: true, force: true });
  const settings = settingsOf(seed, families, variants[variant]);
  const workspace = await Workspace.open({
    dir,
    ...settings,
    architecture: await architectureOf(settings),
    latency: Number(flags.latency),
  });
  try {
    await workspace.engine.load(weights, { optimiser: false });
    // All variants start from the same weights and tasks.
    const known = measurements.find((one) => covers(one, families) && one.seed === seed);
    const start = known
      ? { success: known.start, score: known.scores?.start }
      : await heldOut(workspace, 'start', families);
    const pretrained = settings.ppo.advantage === 'critic' ? await criticOf(workspace, settings, weights) : undefined;
    const started = performance.now();
    // Until the last update: waiting for turns still under way afterwards trains nothing.
    let [share, minutes] = [0, 0];
    const iterations = await trainRl(workspace, settings, ({ environmentSteps }) => environmentSteps >= steps, {
      progress: () => share,
      onIteration: ({ environmentSteps }) => {
        share = environmentSteps / steps;
        minutes = (performance.now() - started) / 60_000;
      },
      ...(pretrained && { critic: pretrained.critic }),
    });
    await pretrained?.critic.close();
    const trained = await heldOut(workspace, 'trained', families);
    return {
      ...{ variant, seed, minutes, start: start.success, trained: trained.success },
      ...(start.score && { scores: { start: start.score, trained: trained.score } }),
      ...(pretrained && { pretraining: pretrained.epochs.map(({ heldOutExplainedVariance: held }) => held) }),
      learnt: iterations.reduce((sum, { decisions }) => sum + decisions, 0),
      curve: iterations.map(
        ({ environmentSteps, success, entropy = NaN, kl, turns, responseTokens, thoughtTokens, ...rest }) => ({
          ...{ environmentSteps, success, entropy, kl, turns, responseTokens, thoughtTokens },
          ...(rest.explainedVariance !== undefined && { explainedVariance: rest.explainedVariance }),
          ...(rest.valueCorrelation !== undefined && { valueCorrelation: rest.valueCorrelation }),
        }),
      ),
    };
  } finally {
    await workspace.close();
  }
}

/** Pretrains the critic, once per seed. */
async function criticOf(
  workspace: Workspace,
  settings: Settings,
  policy: string,
): Promise<Pick<Awaited<ReturnType<typeof valuePretraining>>, 'critic' | 'epochs'>> {
  const name = join(flags.directory, nameOf('critic', settings.families, settings.seed));
  const before = await readFile(`${name}.json`, 'utf8').catch(() => undefined);
  if (settings.ppo.criticEpisodes === 0 || before === undefined) {
    const pretraining = await valuePretraining(workspace, settings, { policy, name: 'critic.safetensors' });
    if (pretraining.epochs.length > 0) {
      await copyFile(workspace.path('critic.safetensors'), `${name}.safetensors`);
      await writeFile(`${name}.json`, JSON.stringify(pretraining.epochs));
    }
    return pretraining;
  }
  const critic = await workspace.learner.critic(`${name}.safetensors`);
  return { critic, epochs: JSON.parse(before) as ValueEpoch[] };
}

/** Returns success by family. */
async function heldOut(
  workspace: Workspace,
  name: string,
  families: readonly string[],
): Promise<Record<Metric, Record<string, number>>> {
  const episodes = Object.fromEntries(families.map((family) => [family, tasks]));
  const { results } = await measure(workspace, {
    families: [...families],
    episodes,
    split: 'test',
    purpose: `eval ${name}`,
  });
  return {
    success: Object.fromEntries(results.map(({ family, success }) => [family, success])),
    score: Object.fromEntries(results.map(({ family, score }) => [family, score])),
  };
}
