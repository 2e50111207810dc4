import { Random } from '@gyre/engine';
import type { Lake } from '@gyre/lake';
import { type Episode, GyreError, independentVerdict } from '@gyre/protocol';
import { type Decision, ScreenshotReader } from '../rollouts/dataset.js';
import type { Learner, StoredEngine } from './learner.js';
import { PerceptionFeed } from '../ct/perceptionFeed.js';
import type { Settings } from './settings.js';
import { type SftStep, trainLetters, trainSft } from '../sft/sft.js';
import type { Rollout } from '../advantages/targets.js';
import { type ValueEpoch, pretrainValue } from '../value/value.js';
import type { Workspace } from './workspace.js';

export interface StageOptions {
  signal?: AbortSignal | undefined;
}

/** Steps, from `from` when resumed; or minutes, converted by timing. */
export type TrainingLength = { steps: number; from?: number } | { minutes: number };

export async function recordDemonstrations(
  workspace: Workspace,
  settings: Pick<Settings, 'demonstrations' | 'seed'>,
  options: StageOptions & { onEpisode?: (episode: Episode) => void } = {},
): Promise<Episode[]> {
  const jobs = Object.entries(settings.demonstrations).flatMap(([family, count]) => [
    ...workspace.jobs(family, 'train', settings.seed * 100_000, count, 'demonstration'),
  ]);
  const { episodes } = await workspace.play(workspace.oracle, jobs, options);
  await workspace.lake.flush();
  return episodes;
}

/** Makes seeded draws reproducible. */
const byTask = (a: Episode, b: Episode): number => a.seed - b.seed || a.task.id.localeCompare(b.task.id);

export async function successfulDemonstrations(lake: Lake): Promise<Episode[]> {
  const out: Episode[] = [];
  for await (const episode of lake.episodes({ purpose: 'demonstration', split: 'train' })) {
    if (independentVerdict(episode)?.success) out.push(episode);
  }
  return out.sort(byTask);
}

export async function readDemonstrations(
  { lake, learner }: { readonly lake: Lake; readonly learner: Pick<Learner, 'decisions'> },
  { thoughts }: Pick<Settings['sft'], 'thoughts'>,
): Promise<Decision[]> {
  const reader = new ScreenshotReader(lake);
  const out: Decision[] = [];
  for (const episode of await successfulDemonstrations(lake)) {
    out.push(...(await learner.decisions(episode, reader, { thought: thoughts })));
  }
  for (const { episode, turns } of await acceptedAnnotations(lake)) {
    const decisions = await learner.decisions(episode, reader, { thought: true });
    out.push(...decisions.filter(({ turn }) => turns.has(turn)));
  }
  return out;
}

/** Returns the episodes that people annotated and accepted, with the turns of them to imitate. */
export async function acceptedAnnotations(lake: Lake): Promise<{ episode: Episode; turns: ReadonlySet<number> }[]> {
  const samples = (await lake.pool('sft').samples()).filter(({ origin }) => origin === 'annotated');
  const turnsOf = new Map(samples.map(({ episode, turns }) => [episode, turns]));
  const out: { episode: Episode; turns: ReadonlySet<number> }[] = [];
  if (turnsOf.size === 0) return out;
  for await (const episode of lake.episodes({ ids: turnsOf.keys(), split: 'train' })) {
    const turns = turnsOf.get(episode.id);
    out.push({ episode, turns: new Set(turns === 'all' ? episode.turns.keys() : turns) });
  }
  return out.sort((a, b) => byTask(a.episode, b.episode) || a.episode.id.localeCompare(b.episode.id));
}

/** Reserved seeds. */
const letterSeeds = 500_000;

export async function trainOnLetters(
  workspace: Workspace,
  settings: Pick<Settings, 'letters' | 'seed'>,
  length: TrainingLength,
  options: StageOptions & { onStep?: (step: { step: number; loss: number }, steps: number) => void } = {},
): Promise<{ steps: number; curve: { step: number; loss: number }[] }> {
  const feed = new PerceptionFeed(workspace.pool, settings.seed + letterSeeds, settings.letters.passes);
  const curve: { step: number; loss: number }[] = [];
  const steps = await trainLetters({
    engine: workspace.engine,
    perception: (first, count) => feed.take(first, count),
    length,
    batch: settings.letters.batch,
    peak: settings.letters.peak,
    onStep: (step, total) => {
      curve.push(step);
      options.onStep?.(step, total);
    },
    signal: options.signal,
  });
  return { steps, curve };
}

export async function fineTune(
  workspace: Workspace,
  settings: Pick<Settings, 'sft' | 'seed'>,
  length: TrainingLength,
  options: StageOptions & { onStep?: (step: SftStep, steps: number) => void } = {},
): Promise<{ steps: number; curve: SftStep[] }> {
  const demonstrations = await readDemonstrations(workspace, settings.sft);
  if (demonstrations.length === 0 && workspace.view.reads) {
    throw new GyreError('bad_input', `no demonstration in ${workspace.dir} has a reading of its screens`, {
      field: 'demonstrations',
      fix: 'record demonstrations in another directory, for a policy with a reader',
    });
  }
  if (demonstrations.length === 0 && !workspace.isNative) {
    throw new GyreError('bad_input', `no demonstration in ${workspace.dir} can be expressed by the model`, {
      field: 'served.format',
      fix: 'use another format, or serve the model with a chat template that leaves answers as they are',
    });
  }
  const feed = new PerceptionFeed(workspace.pool, settings.seed);
  const curve: SftStep[] = [];
  const { peak, glyphWeight, perception, demonstrations: perBatch, mix } = settings.sft;
  const steps = await trainSft({
    engine: workspace.learner.engine,
    demonstrations,
    perception: (first, count) => feed.take(first, count),
    length,
    seed: settings.seed,
    batch: { demonstrations: perBatch, perception: workspace.pages(perception) },
    mix,
    peak,
    glyphWeight,
    onStep: (step, total) => {
      curve.push(step);
      options.onStep?.(step, total);
    },
    signal: options.signal,
  });
  await workspace.learner.publish();
  return { steps, curve };
}

/** Starts from the policy's weights and fits returns of the fixed policy. */
export async function pretrainCritic(
  workspace: Workspace,
  settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
  from: { policy: string | undefined; name: string },
  options: StageOptions & { onEpoch?: (epoch: ValueEpoch) => void } = {},
): Promise<{ critic: StoredEngine; epochs: ValueEpoch[]; episodes: Episode[] }> {
  const critic = await workspace.learner.critic(from.policy);
  const { families } = settings;
  const each = Math.ceil(settings.ppo.criticEpisodes / families.length);
  if (each === 0) return { critic, epochs: [], episodes: [] };
  const first = settings.seed * 100_000 + 30_000;
  const jobs = families.flatMap((family) => [...workspace.jobs(family, 'train', first, each, 'value')]);
  const { episodes } = await workspace.play(workspace.policy(), jobs, options);
  episodes.sort(byTask);
  const reader = new ScreenshotReader(workspace.lake);
  const rollouts: Rollout[] = [];
  for (const episode of episodes) {
    const decisions = await workspace.learner.decisions(episode, reader);
    rollouts.push({ episode, decisions });
  }
  const path = workspace.path(from.name);
  const epochs = await pretrainValue(
    critic,
    rollouts,
    {
      learningRate: settings.ppo.criticLearningRate,
      minibatch: settings.ppo.minibatch,
      maxEpochs: 20,
      patience: 3,
      heldOut: 0.2,
      gamma: settings.ppo.gamma,
      freezeEncoder: settings.ppo.freezeEncoder,
      ...options,
    },
    {
      save: () => workspace.save(path, critic),
      restore: async () => {
        await critic.load(path);
      },
    },
    new Random(settings.seed).fork('value'),
  );
  return { critic, epochs, episodes };
}
