import {
  type Gain,
  attemptsOf,
  expectForkable,
  gainOf,
  Journal,
  measure,
  type Measured,
  trainRl as runPpo,
  rlPresetNames,
  rlPresets,
  Settings,
  type StoredEngine,
  valuePretraining,
  type Workspace,
} from '@gyre/training';
import { join } from 'node:path';
import { command, type Invocation, type Outcome } from '../command.js';
import { optionalCount, optionalOneOf, toggle, type Values } from '../flags/flag.js';
import { type Interval, percent, signed } from '@gyre/studio';
import {
  criticEngineFlag,
  exclusive,
  readSettings,
  servedFlags,
  trainingFlags,
  withoutUndefined,
} from '../flags/settings.js';
import { share as intervalText, table } from '../terminal/table.js';
import { directory, from, inWorkspace, pulledAdapter, startOf } from './trainFolder.js';

const commonFlags = {
  ...trainingFlags(),
  preset: optionalOneOf(rlPresetNames, 'train on a game in under ten minutes, from the base policy'),
  evaluate: optionalCount('held-out tasks per family to play before and after (default: none)', { example: '150' }),
  directory,
  from,
  iterations: optionalCount('total iterations, instead of --minutes', { example: '20' }),
  resume: toggle('resume the run in the directory after its last complete iteration'),
};

const rlFlags = { ...commonFlags, ...servedFlags };

const algorithmNames = { none: 'ppo', critic: 'ppo', group: 'grpo', vineppo: 'vineppo' };

interface RlRun {
  readonly directory: string;
  readonly from: string | undefined;
  readonly iterations: number | undefined;
  readonly resume: boolean;
  readonly measured: boolean;
}

async function readRun(
  {
    settings: file,
    preset,
    directory,
    from,
    iterations,
    resume,
    evaluate,
    ...typed
  }: Values<typeof commonFlags> & Partial<Values<typeof rlFlags>> & { criticEngine?: string | undefined },
  typedSeed: number | undefined,
): Promise<[RlRun, Settings]> {
  if (preset !== undefined && file !== undefined) throw exclusive('--preset', '--settings');
  const known = preset === undefined ? {} : rlPresets[preset];
  const settings = await readSettings(file, { ...known, ...withoutUndefined({ ...typed, evaluate, seed: typedSeed }) });
  const measured = evaluate !== undefined || known.evaluate !== undefined;
  return [{ directory, from: from ?? known.from, iterations, resume, measured }, settings];
}

async function trainPolicy(
  { directory: dir, from: weights, iterations: maxIterations, resume, measured }: RlRun,
  settings: Settings,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<Outcome> {
  const policy = startOf(dir, settings, weights);
  const { minutes, ...same } = settings;
  const journalDirectory = join(dir, 'practice');
  const run = { ...same, from: weights ?? null, measured };
  await Journal.check(journalDirectory, { run, resume });
  return inWorkspace(dir, { ...settings, from: policy ?? settings.from }, async (workspace) => {
    const { engine, extension } = workspace.learner;
    if (policy !== undefined) await engine.load(policy);
    let critic: StoredEngine | undefined;
    const journal = await Journal.open(journalDirectory, {
      ...{ run, resume, signal, lock: workspace.lock },
      weights: {
        extension,
        save: async (path) => {
          await engine.save(path);
          await critic?.save(criticOf(path));
        },
        load: async (path) => {
          await engine.load(path);
          await critic?.load(criticOf(path));
        },
        discard: (path) => {
          const owner = path.endsWith(criticSuffix) ? critic : engine;
          return owner?.discard?.(path) ?? Promise.resolve(true);
        },
      },
    });
    try {
      const evaluateHeldOut = (name: string) => evaluatePolicy(workspace, settings, name, { terminal, signal });
      const before = measured ? await journal.stage('evaluate start', () => evaluateHeldOut('start')) : undefined;
      if (settings.ppo.advantage === 'critic')
        critic = await pretrainedCritic(workspace, journal, policy, settings, signal);
      let done = 0;
      // Time before an interruption counts. The final evaluation is assumed as long as the first.
      const evaluationMinutes = before?.minutes ?? 0;
      const minMinutes = 0.02 * minutes;
      const share = (): number =>
        maxIterations === undefined
          ? (journal.spent.minutes - evaluationMinutes) / Math.max(minutes - 2 * evaluationMinutes, minMinutes)
          : done / maxIterations;
      const progress = terminal.progress(algorithmNames[settings.ppo.advantage]);
      const iterations = await runPpo(workspace, settings, () => share() >= 1, {
        ...{ signal, journal, progress: share },
        ...(critic && { critic }),
        onIteration: ({ iteration, success, groups }) => {
          done = iteration;
          const shares = Object.entries(success).map(([family, share]) => `${family} ${percent(share)} %`);
          const same =
            groups && `${groups.allSucceeded + groups.allFailed} of ${groups.tasks} groups with equal outcomes`;
          const message = [...shares, ...(same === undefined ? [] : [same])].join(', ');
          progress.update(Math.min(1, share()), `iteration ${iteration}: ${message}`);
        },
      });
      terminal.end();
      // Restores the weights if the run was already complete.
      await journal.load();
      const checkpoint = join(dir, `trained.${extension}`);
      await workspace.save(checkpoint);
      // Not a stage: a run resumed with more minutes evaluates again.
      const after = before && (await evaluateHeldOut('trained'));
      terminal.print(
        `${iterations.length} iterations, ${iterations.at(-1)?.environmentSteps ?? 0} environment steps: ${checkpoint}`,
      );
      const pulled = await pulledAdapter(checkpoint, terminal);
      const families = before && after && gains(settings, before.outcome, after);
      for (const line of families ? gainTable(families) : []) terminal.print(line);
      const result = { iterations, checkpoint, ...pulled, ...(families && { families }) };
      return { ok: iterations.length > 0, result };
    } finally {
      await critic?.close();
    }
  });
}

async function evaluatePolicy(
  workspace: Workspace,
  { families, evaluate }: Settings,
  name: string,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<Measured> {
  const progress = terminal.progress(`evaluate ${name}`);
  const measured = await measure(
    workspace,
    { families, episodes: evaluate, split: 'test', purpose: `eval ${name}` },
    { signal, onEpisode: (played, of) => progress.update(played / of, `${played} of ${of} held-out episodes`) },
  );
  signal.throwIfAborted();
  await workspace.lake.flush();
  terminal.end();
  return measured;
}

interface FamilyGain {
  family: string;
  n: number;
  start: Interval;
  trained: Interval;
  gain: Gain;
}

function gains({ families, seed }: Settings, before: Measured, after: Measured): FamilyGain[] {
  return families.flatMap((family) => {
    const [start, trained] = [before, after].map(({ results }) => results.find((one) => one.family === family));
    if (!start || !trained) return [];
    const gain = gainOf(family, attemptsOf(before), attemptsOf(after), seed);
    return [{ family, n: Math.min(start.n, trained.n), start, trained, gain }];
  });
}

const gainTable = (families: readonly FamilyGain[]): string[] =>
  table(
    ['family', 'episodes', 'start', 'trained', 'gain'],
    families.map(({ family, n, start, trained, gain }) => [
      ...[family, String(n), intervalText(start), intervalText(trained), signed(gain)],
    ]),
  );

const criticSuffix = '.critic';
const criticOf = (path: string): string => `${path}${criticSuffix}`;

/** Pretrains the critic, or restores it after an interruption. */
async function pretrainedCritic(
  workspace: Workspace,
  journal: Journal,
  policy: string | undefined,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<StoredEngine> {
  const name = `critic.${workspace.learner.extension}`;
  let critic: StoredEngine | undefined;
  await journal.stage('value pretraining', async () => {
    const pretrained = await valuePretraining(workspace, settings, { policy, name }, { signal });
    critic = pretrained.critic;
    return { turns: 0, epochs: pretrained.epochs };
  });
  if (critic) return critic;
  const known = await workspace.learner.critic(policy);
  await known.load(workspace.path(name));
  return known;
}

export const ppo = command({
  description:
    'Trains a policy by PPO for --minutes, with supervised steps between updates (ppo.replay). Writes trained.safetensors. Each update is recorded in updates.jsonl, for TensorBoard, in the lake and in metrics.prom for Prometheus. Resume an interrupted run with --resume: it gives the same numbers.',
  examples: [
    'gyre train ppo --preset quick',
    'gyre train ppo --minutes 5 --from runs/train/sft.safetensors',
    'gyre train ppo --from base --directory runs/mine --iterations 20 --resume',
  ],
  flags: {
    ...rlFlags,
    criticEngine: criticEngineFlag,
  },
  async run(flags, invocation) {
    const [run, { ppo: read, ...others }] = await readRun(flags, invocation.typedSeed);
    const advantage = flags.criticEngine === undefined ? read.advantage : 'critic';
    return trainPolicy(run, { ...others, ppo: { ...read, advantage } }, invocation);
  },
});

export const grpo = command({
  description:
    'Like `gyre train ppo`, with advantages from comparing attempts at the same task (GRPO) instead of returns and a critic. Tasks that all attempts solve, or none, are replaced (ppo.group).',
  examples: ['gyre train grpo --minutes 5 --group 8', 'gyre train grpo --leave-one-out'],
  flags: {
    ...rlFlags,
    group: optionalCount(`attempts per task (default: ${Settings.parse({}).ppo.group.size})`, { min: 2 }),
    leaveOneOut: toggle('leave-one-out baseline without normalisation (RLOO)'),
  },
  async run(flags, invocation) {
    const { group: size, leaveOneOut, ...shared } = flags;
    const [run, { ppo: read, ...others }] = await readRun(shared, invocation.typedSeed);
    const group = {
      ...read.group,
      ...(size !== undefined && { size }),
      ...(leaveOneOut && { leaveOneOut, normalise: false }),
    };
    const settings: Settings = { ...others, ppo: { ...read, advantage: 'group', group } };
    return trainPolicy(run, settings, invocation);
  },
});

const { vineppo: defaults } = Settings.parse({}).ppo;

export const vineppo = command({
  description:
    'Like `gyre train ppo`, with the values of states estimated by playing on from forks of the episode (VinePPO) instead of a critic. The continuations are not trained on; their steps count as environment steps, replayed ones included. For families of pages.',
  examples: ['gyre train vineppo --minutes 5', 'gyre train vineppo --every 1 --continuations 9'],
  flags: {
    ...commonFlags,
    every: optionalCount(`decisions from one valued state to the next (default: ${defaults.every})`),
    continuations: optionalCount(`continuations per valued state (default: ${defaults.continuations})`),
  },
  async run(flags, invocation) {
    const { every, continuations, ...shared } = flags;
    const [run, { ppo: read, ...others }] = await readRun(shared, invocation.typedSeed);
    const forks = { ...read.vineppo, ...withoutUndefined({ every, continuations }) };
    const settings: Settings = { ...others, ppo: { ...read, advantage: 'vineppo', vineppo: forks } };
    expectForkable(settings);
    return trainPolicy(run, settings, invocation);
  },
});
