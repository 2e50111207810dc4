import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { weightsFile } from '@gyre/engine';
import {
  type GivenSettings,
  Journal,
  Settings,
  type StoredEngine,
  Workspace,
  architectureOf,
  measure,
  trainRl,
  valuePretraining,
} from '@gyre/training';
import { parseSettings } from './parseSettings.js';

/**
 * Question: do values by forks (VinePPO) make up for the environment steps of their continuations in long episodes?
 * Each family is trained by itself, from the same weights, until the same number of environment steps, including those
 * of continuations and of value pretraining.
 *
 * If the gain of forks minus that of PPO has a 95 % interval above 0 over the three games, docs and `gyre train`
 * recommend `vineppo` for long episodes. Otherwise it stays an option that is off by default.
 *
 * Budget: 5 families, 4 variants and 2 seeds of 20,000 steps and 5 evaluations of 100 tasks: about ten minutes of two
 * idle cores each, seven hours in all. Writes `VARIANT-FAMILY-SEED.json` per run and resumes after the last update.
 *
 *     node experiments/dist/forks.js --directory runs/forks --from pixels
 */
const alone = { replay: { steps: 0 } };
const variants: Readonly<Record<string, NonNullable<GivenSettings['ppo']>>> = {
  ppo: alone,
  // Pretraining takes at most a quarter of the steps.
  critic: { ...alone, advantage: 'critic', criticEpisodes: 100 },
  grpo: { ...alone, advantage: 'group' },
  // A decision costs 9 steps in episodes of 10 turns and 20 in those of 40. With a fifth of the decisions, an update
  // costs two to four times as many steps as one of PPO.
  forks: { ...alone, advantage: 'vineppo', vineppo: { every: 8, continuations: 4 }, decisions: 96 },
};

interface Point {
  environmentSteps: number;
  /** Training without evaluation. */
  minutes: number;
  n: number;
  /** On held-out tasks, with Wilson's 95 % interval. */
  success: number;
  low: number;
  high: number;
}

interface Run {
  variant: string;
  family: string;
  seed: number;
}

const { values: flags } = parseArgs({
  options: {
    directory: { type: 'string', default: 'runs/forks' },
    from: { type: 'string', default: 'pixels' },
    variants: { type: 'string', default: Object.keys(variants).join(',') },
    families: { type: 'string', default: 'vault,tabs,platformer,infinityLoop,mergeAndDouble' },
    seeds: { type: 'string', default: '1,2' },
    steps: { type: 'string', default: '20000' },
    /** After the start. */
    evaluations: { type: 'string', default: '5' },
    tasks: { type: 'string', default: '100' },
    sessions: { type: 'string', default: '32' },
    threads: { type: 'string', default: '2' },
    settings: { type: 'string', default: '{}' },
  },
});
const chosen = flags.variants.split(',');
const unknown = chosen.find((name) => !(name in variants));
if (unknown !== undefined)
  throw new Error(`there is no variant "${unknown}"; --variants knows ${Object.keys(variants).join(', ')}`);
const [steps, evaluations, tasks] = [Number(flags.steps), Number(flags.evaluations), Number(flags.tasks)];
const weights = weightsFile(flags.from);
await mkdir(flags.directory, { recursive: true });
for (const seed of flags.seeds.split(',').map(Number))
  for (const family of flags.families.split(','))
    for (const variant of chosen) await measured({ variant, family, seed });

async function measured(run: Run): Promise<void> {
  const { variant, family, seed } = run;
  const name = join(flags.directory, `${variant}-${family}-${seed}`);
  const curve = await curveOf(`${name}.json`);
  if (curve.length > evaluations) return;
  const shared = parseSettings(flags.settings, [family]);
  const settings = Settings.parse({
    ...{ ...shared, seed, from: flags.from, sessions: Number(flags.sessions), threads: Number(flags.threads) },
    ppo: { ...shared.ppo, ...variants[variant] },
  });
  const workspace = await Workspace.open({ dir: name, ...settings, architecture: await architectureOf(settings) });
  try {
    await workspace.engine.load(weights, { optimiser: false });
    for (let point = curve.length; point <= evaluations; point++) {
      const trained = await train(workspace, settings, (steps * point) / evaluations);
      // Variants share the start.
      const start = point === 0 ? await startOf(run) : undefined;
      curve.push(start ?? { ...trained, ...(await heldOut(workspace, family)) });
      await writeFile(`${name}.json`, JSON.stringify({ ...run, from: flags.from, steps, curve }, null, 2));
      process.stderr.write(`${variant} ${family} ${seed} ${JSON.stringify(curve.at(-1))}\n`);
    }
  } finally {
    await workspace.close();
  }
}

/** Trains until so many environment steps in all. */
async function train(
  workspace: Workspace,
  settings: Settings,
  target: number,
): Promise<Pick<Point, 'environmentSteps' | 'minutes'>> {
  if (target === 0) return { environmentSteps: 0, minutes: 0 };
  let critic: StoredEngine | undefined;
  const journal = await Journal.open(workspace.path('journal'), {
    ...{ run: { ...settings, steps }, resume: true, lock: workspace.lock },
    weights: {
      save: async (path) => {
        await workspace.engine.save(path);
        await critic?.save(`${path}.critic`);
      },
      load: async (path) => {
        await workspace.engine.load(path);
        await critic?.load(`${path}.critic`);
      },
    },
  });
  let pretraining = 0;
  try {
    if (settings.ppo.advantage === 'critic') {
      const name = 'critic.safetensors';
      const { outcome } = await journal.stage('value pretraining', async () => {
        const pretrained = await valuePretraining(workspace, settings, { policy: weights, name });
        ({ critic } = pretrained);
        return { turns: pretrained.episodes.reduce((sum, { turns }) => sum + turns.length, 0) };
      });
      pretraining = outcome.turns;
      critic ??= await workspace.learner.critic(workspace.path(name));
    }
    let environmentSteps = pretraining;
    await trainRl(workspace, settings, () => environmentSteps >= target, {
      ...{ journal, progress: () => environmentSteps / steps },
      ...(critic && { critic }),
      onIteration: (iteration) => {
        environmentSteps = pretraining + iteration.environmentSteps;
      },
    });
    // Restores the weights of a run that had already come this far.
    await journal.load();
    return { environmentSteps, minutes: journal.spent.minutes };
  } finally {
    await critic?.close();
  }
}

async function heldOut(workspace: Workspace, family: string): Promise<Pick<Point, 'n' | 'success' | 'low' | 'high'>> {
  const episodes = { [family]: tasks };
  const { results } = await measure(workspace, { families: [family], episodes, split: 'test', purpose: 'eval' });
  const [result] = results;
  if (!result) throw new Error(`no task of ${family} was played`);
  const { n, success, low, high } = result;
  return { n, success, low, high };
}

async function startOf({ family, seed }: Run): Promise<Point | undefined> {
  const curves = chosen.map((variant) => curveOf(join(flags.directory, `${variant}-${family}-${seed}.json`)));
  return (await Promise.all(curves)).find(({ length }) => length > 0)?.[0];
}

async function curveOf(file: string): Promise<Point[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? [] : (JSON.parse(text) as { curve: Point[] }).curve;
}
