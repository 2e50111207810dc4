import { type EngineThread, weightsFile } from '@gyre/engine';
import {
  demonstrate,
  Journal,
  letters,
  ppo as runPpo,
  Settings,
  sft as runSft,
  valuePretraining,
  Workspace,
} from '@gyre/training';
import { join } from 'node:path';
import { command, group, type Invocation, type Outcome } from '../command.js';
import { ct } from './trainCt.js';
import { orm } from './trainOrm.js';
import { count, optionalCount, path, toggle } from '../flag.js';
import { readSettings, settingsFlags } from '../settings.js';
import { percent } from '../report/results.js';

const directory = path('where the lake and the weights are', { default: 'runs/train' });
const from = path(
  'weights to start from; base are those that come with gyre (default: sft.safetensors of the directory)',
  { default: undefined },
);

/** Opens the folder of a training run, does something in it, and closes it whatever happens. */
async function inWorkspace<T>(dir: string, settings: Settings, work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const workspace = await Workspace.open({ dir, ...settings });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}

const sft = command({
  name: 'sft',
  summary: 'supervised fine-tuning on demonstrations of the oracle',
  description:
    'Plays the oracle on training tasks where the lake holds no demonstrations yet, teaches the stem to see letters, then trains on the demonstrations together with perception data. Writes sft.safetensors.',
  examples: ['gyre train sft --minutes 6'],
  flags: { ...settingsFlags, directory },
  async run({ settings: file, directory: dir, ...typed }, { terminal, signal, typedSeed }) {
    const settings = await readSettings(file, { ...typed, seed: typedSeed });
    return inWorkspace(dir, settings, async (workspace) => {
      let demonstrations = 0;
      for await (const episode of workspace.lake.episodes({ purpose: 'demonstration' }))
        if (episode.verdict) demonstrations++;
      if (demonstrations === 0) {
        const wanted = Object.values(settings.demonstrations).reduce((a, b) => a + b, 0);
        const progress = terminal.progress('demonstrations');
        const onEpisode = () => {
          demonstrations++;
          progress.update(demonstrations / wanted, `${demonstrations} of ${wanted} episodes`);
        };
        await demonstrate(workspace, settings, { signal, onEpisode });
      }
      const reading = settings.letters.share / (settings.letters.share + settings.sft.share);
      const seeing = terminal.progress('letters');
      await letters(
        workspace,
        settings,
        { minutes: settings.minutes * reading },
        { signal, onStep: ({ step, loss }, of) => seeing.update(step / of, `step ${step}, loss ${loss.toFixed(3)}`) },
      );
      const progress = terminal.progress('sft');
      const { steps, curve } = await runSft(
        workspace,
        settings,
        { minutes: settings.minutes * (1 - reading) },
        {
          signal,
          onStep: ({ step, demonstrationLoss }, of) =>
            progress.update(step / of, `step ${step}, loss ${demonstrationLoss.toFixed(3)}`),
        },
      );
      terminal.end();
      const checkpoint = join(dir, 'sft.safetensors');
      await workspace.engine.save(checkpoint);
      const last = curve.at(-1);
      terminal.print(
        `${steps} steps on ${demonstrations} demonstrations, loss ${last?.demonstrationLoss.toFixed(3)}: ${checkpoint}`,
      );
      return { ok: true, result: { steps, demonstrations, loss: last?.demonstrationLoss, checkpoint } };
    });
  },
});

const value = command({
  name: 'value',
  summary: 'value pretraining: the critic learns the returns of a fixed policy',
  description: 'Plays training tasks with the policy and fits the critic to the returns. Writes critic.safetensors.',
  examples: ['gyre train value --episodes 900'],
  flags: { ...settingsFlags, directory, from, episodes: count('episodes to play', { default: 900 }) },
  async run({ settings: file, directory: dir, from: weights, episodes, ...typed }, { terminal, signal, typedSeed }) {
    const settings = await readSettings(file, { ...typed, seed: typedSeed });
    const policy = weights ?? join(dir, 'sft.safetensors');
    return inWorkspace(dir, settings, async (workspace) => {
      await workspace.engine.load(policy);
      terminal.log(`playing ${episodes} episodes`);
      const { critic, epochs } = await valuePretraining(
        workspace,
        settings,
        { policy, episodes, name: 'critic.safetensors' },
        {
          signal,
          onEpoch: ({ epoch, loss, heldOutExplainedVariance }) =>
            terminal.log(
              `epoch ${epoch}: loss ${loss.toFixed(4)}, held-out explained variance ${heldOutExplainedVariance.toFixed(3)}`,
            ),
        },
      );
      await critic.close();
      const checkpoint = join(dir, 'critic.safetensors');
      const best = Math.max(...epochs.map((epoch) => epoch.heldOutExplainedVariance));
      terminal.print(`held-out explained variance ${best.toFixed(3)}: ${checkpoint}`);
      return { ok: true, result: { epochs, checkpoint } };
    });
  },
});

/** The flags of practice beside its settings. */
const practiceFlags = {
  ...settingsFlags,
  directory,
  from,
  iterations: optionalCount('iterations in all, in the place of minutes', { example: '20' }),
  resume: toggle('goes on with the run in the directory, after its last iteration that was over'),
};

interface Practice {
  readonly directory: string;
  readonly from: string | undefined;
  readonly iterations: number | undefined;
  readonly resume: boolean;
}

/** Practises with a policy for the minutes of the settings, or for so many iterations, and keeps what came of it in the folder. */
async function practise(
  { directory: dir, from: weights, iterations: most, resume }: Practice,
  settings: Settings,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
): Promise<Outcome> {
  const policy = weightsFile(weights ?? join(dir, 'sft.safetensors'));
  const { minutes, ...same } = settings;
  const kept = join(dir, 'practice');
  const run = { ...same, from: weights ?? null };
  await Journal.check(kept, { run, resume });
  return inWorkspace(dir, settings, async (workspace) => {
    await workspace.engine.load(policy);
    let critic: EngineThread | undefined;
    const journal = await Journal.open(kept, {
      ...{ run, resume, signal },
      weights: {
        save: async (path) => {
          await workspace.engine.save(path);
          await critic?.save(criticOf(path));
        },
        load: async (path) => {
          await workspace.engine.load(path);
          await critic?.load(criticOf(path));
        },
      },
    });
    try {
      if (settings.ppo.advantage === 'critic')
        critic = await pretrainedCritic(workspace, journal, policy, settings, signal);
      let done = 0;
      // What was over before a kill counts.
      const share = (): number => (most === undefined ? journal.spent.minutes / minutes : done / most);
      const progress = terminal.progress(settings.ppo.advantage === 'group' ? 'grpo' : 'ppo');
      const iterations = await runPpo(workspace, settings, () => share() >= 1, {
        ...{ signal, journal, progress: share },
        ...(critic && { critic }),
        onIteration: ({ iteration, success, groups }) => {
          done = iteration;
          const shares = Object.entries(success).map(([family, share]) => `${family} ${percent(share)} %`);
          const same = groups && `${groups.allSucceeded + groups.allFailed} of ${groups.tasks} groups all the same`;
          const message = [...shares, ...(same === undefined ? [] : [same])].join(', ');
          progress.update(Math.min(1, share()), `iteration ${iteration}: ${message}`);
        },
      });
      terminal.end();
      // Where all of it was over before.
      await journal.load();
      const checkpoint = join(dir, 'trained.safetensors');
      await workspace.engine.save(checkpoint);
      terminal.print(
        `${iterations.length} iterations, ${iterations.at(-1)?.environmentSteps ?? 0} environment steps: ${checkpoint}`,
      );
      return { ok: iterations.length > 0, result: { iterations, checkpoint } };
    } finally {
      await critic?.close();
    }
  });
}

const criticOf = (path: string): string => `${path}.critic`;

/** A critic that was pretrained before a kill, or is now. */
async function pretrainedCritic(
  workspace: Workspace,
  journal: Journal,
  policy: string,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<EngineThread> {
  const name = 'critic.safetensors';
  let critic: EngineThread | undefined;
  await journal.stage('value pretraining', async () => {
    const pretrained = await valuePretraining(workspace, settings, { policy, episodes: 900, name }, { signal });
    critic = pretrained.critic;
    return { turns: 0, epochs: pretrained.epochs };
  });
  if (critic) return critic;
  const known = await workspace.another('critic');
  await known.load(workspace.path(name));
  return known;
}

const ppo = command({
  name: 'ppo',
  summary: 'reinforcement learning on training tasks',
  description:
    'Improves a policy by PPO for the minutes given, and between the updates by supervised steps (ppo.replay). Writes trained.safetensors, and of each update a line of updates.jsonl and an event for TensorBoard. What was killed goes on by --resume, with the same numbers; tasks that were under way are played again.',
  examples: [
    'gyre train ppo --minutes 5 --from runs/train/sft.safetensors',
    'gyre train ppo --from base --directory runs/mine --iterations 20 --resume',
  ],
  flags: practiceFlags,
  async run({ settings: file, directory, from, iterations, resume, ...typed }, invocation) {
    const settings = await readSettings(file, { ...typed, seed: invocation.typedSeed });
    return practise({ directory, from, iterations, resume }, settings, invocation);
  },
});

const grpo = command({
  name: 'grpo',
  summary: 'reinforcement learning from several attempts at each training task',
  description:
    'As train ppo, but each attempt is compared with the others at the same task (GRPO), in the place of returns and critics. Tasks that all attempts solve, or none, are left out, and others drawn for them (ppo.group).',
  examples: ['gyre train grpo --minutes 5 --group 8', 'gyre train grpo --leave-one-out'],
  flags: {
    ...practiceFlags,
    group: optionalCount(`attempts at each task (default: ${Settings.parse({}).ppo.group.size})`, { min: 2 }),
    leaveOneOut: toggle('less the mean of the others, not divided by the deviation (RLOO)'),
  },
  async run(flags, invocation) {
    const { settings: file, directory, from, iterations, resume, group: size, leaveOneOut, ...typed } = flags;
    const { ppo: read, ...others } = await readSettings(file, { ...typed, seed: invocation.typedSeed });
    const group = {
      ...read.group,
      ...(size !== undefined && { size }),
      ...(leaveOneOut && { leaveOneOut, normalise: false }),
    };
    const settings: Settings = { ...others, ppo: { ...read, advantage: 'group', group } };
    return practise({ directory, from, iterations, resume }, settings, invocation);
  },
});

export const train = group('train', 'one stage of training', [ct, sft, value, ppo, grpo, orm]);
