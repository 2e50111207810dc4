import {
  expectForkable,
  type GivenSettings,
  type Journal,
  rlPresetNames,
  rlPresets,
  Settings,
  type StoredEngine,
  trainRl as runRl,
  valuePretraining,
  type Workspace,
} from '@gyre/training';
import { percent } from '@gyre/studio';
import { command, type Invocation } from '../command.js';
import { optionalCount, optionalOneOf, toggle } from '../flags/flag.js';
import { criticEngineFlag } from '../flags/serverFlags.js';
import { exclusive, servedFlags, withoutUndefined } from '../flags/settings.js';
import { openQueued, queueFlags, withoutQueueFlags } from './trainQueued.js';
import { readRun, resumeFlag, runFlags, trainPolicy } from './trainRun.js';

const commonFlags = {
  ...runFlags,
  preset: optionalOneOf(rlPresetNames, 'train on one widget in under ten minutes, from the base policy'),
  iterations: optionalCount('total iterations, instead of --minutes', { example: '20' }),
  resume: resumeFlag('iteration'),
};

const rlFlags = { ...commonFlags, ...servedFlags, ...queueFlags };

const algorithmNames = { none: 'ppo', critic: 'ppo', group: 'grpo', vineppo: 'vineppo' };

function presetOf({
  preset,
  settings: file,
}: {
  readonly preset: keyof typeof rlPresets | undefined;
  readonly settings: string | undefined;
}): GivenSettings {
  if (preset !== undefined && file !== undefined) throw exclusive('--preset', '--settings');
  return preset === undefined ? {} : rlPresets[preset];
}

/** Trains for so many iterations, or for the minutes of the run. */
const byIterations = (
  settings: Settings,
  maxIterations: number | undefined,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
  queue?: Parameters<typeof openQueued>[2],
): Parameters<typeof trainPolicy>[3] => ({
  folder: 'practice',
  async train({ workspace, journal, weights, policy, minutes }) {
    const queued = queue && (await openQueued(workspace, settings, queue));
    if (settings.ppo.advantage === 'critic')
      weights.critic = await pretrainedCritic(workspace, journal, policy, settings, signal);
    const { critic } = weights;
    let done = 0;
    const share = (): number => (maxIterations === undefined ? minutes.spent() / minutes.budget : done / maxIterations);
    const progress = terminal.progress(algorithmNames[settings.ppo.advantage]);
    const run = runRl(workspace, settings, () => share() >= 1, {
      ...{ signal, journal, progress: share },
      ...(critic && { critic }),
      ...(queued && { queued: queued.rollouts }),
      onIteration: ({ iteration, success, groups }) => {
        done = iteration;
        const shares = Object.entries(success).map(([family, share]) => `${family} ${percent(share)} %`);
        const same =
          groups && `${groups.allSucceeded + groups.allFailed} of ${groups.tasks} groups with equal outcomes`;
        const message = [...shares, ...(same === undefined ? [] : [same])].join(', ');
        progress.update(Math.min(1, share()), `iteration ${iteration}: ${message}`);
      },
    });
    const iterations = await run.finally(() => queued?.close());
    return {
      ok: iterations.length > 0,
      summary: `${iterations.length} iterations, ${iterations.at(-1)?.environmentSteps ?? 0} environment steps`,
      result: { iterations },
    };
  },
});

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
    const { iterations, preset: _, ...shared } = withoutQueueFlags(flags);
    const [run, settings] = await readRun(shared, invocation.typedSeed, presetOf(flags));
    return trainPolicy(run, settings, invocation, byIterations(settings, iterations, invocation, flags));
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
    const { group: size, leaveOneOut, iterations, preset: _, ...shared } = withoutQueueFlags(flags);
    const [run, { ppo: read, ...others }] = await readRun(shared, invocation.typedSeed, presetOf(flags));
    const group = {
      ...read.group,
      ...(size !== undefined && { size }),
      ...(leaveOneOut && { leaveOneOut, normalise: false }),
    };
    const settings: Settings = { ...others, ppo: { ...read, advantage: 'group', group } };
    return trainPolicy(run, settings, invocation, byIterations(settings, iterations, invocation, flags));
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
    const { every, continuations, iterations, preset: _, ...shared } = flags;
    const [run, { ppo: read, ...others }] = await readRun(shared, invocation.typedSeed, presetOf(flags));
    const forks = { ...read.vineppo, ...withoutUndefined({ every, continuations }) };
    const settings: Settings = { ...others, ppo: { ...read, advantage: 'vineppo', vineppo: forks } };
    expectForkable(settings);
    return trainPolicy(run, settings, invocation, byIterations(settings, iterations, invocation));
  },
});
