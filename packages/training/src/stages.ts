import { nativePolicy, oraclePolicy } from '@gyre/agent';
import { type EngineThread, Random } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { type Decision, ScreenshotReader, decisions } from './dataset.js';
import { PerceptionFeed } from './perceptionFeed.js';
import { type Advantage, type PpoUpdate, type Rollout, updatePpo } from './ppo.js';
import type { Settings } from './settings.js';
import { type SftStep, replay, trainLetters, trainSft } from './sft.js';
import { mean } from './statistics.js';
import { type ValueEpoch, pretrainValue } from './value.js';
import type { Workspace } from './workspace.js';

/** What a stage needs beside its settings. */
export interface StageOptions {
  signal?: AbortSignal | undefined;
}

/** Steps, from one on when resumed; or minutes, made into steps by timing the first ones. */
export type Length = { steps: number; from?: number } | { minutes: number };

/** Plays the oracle on train tasks; the episodes go to the lake as `demonstration`. */
export async function demonstrate(
  workspace: Workspace,
  settings: Pick<Settings, 'demonstrations' | 'seed'>,
  options: StageOptions & { onEpisode?: (episode: Episode) => void } = {},
): Promise<Episode[]> {
  const jobs = Object.entries(settings.demonstrations).flatMap(([family, count]) => [
    ...workspace.jobs(family, 'train', settings.seed * 100_000, count, 'demonstration'),
  ]);
  const { episodes } = await workspace.play(oraclePolicy, jobs, options);
  await workspace.lake.flush();
  return episodes;
}

/** Decisions of the demonstrations in the lake, screenshots included. Failed ones are left out. */
export async function readDemonstrations(workspace: Workspace): Promise<Decision[]> {
  const reader = new ScreenshotReader(workspace.lake);
  const out: Decision[] = [];
  for await (const episode of workspace.lake.episodes({ purpose: 'demonstration' })) {
    if (!episode.verdict?.success || episode.task.split !== 'train') continue;
    out.push(...(await decisions(episode, workspace.screenshots, reader)));
  }
  return out;
}

/** Most decisions of successful episodes that are kept for imitation, the newest: each holds a screenshot. */
const mostSucceeded = 4096;

/** How often, at most, a decision is imitated after an update, on average. */
const mostPasses = 2;

/** Perception data of its own for each stage. */
const letterSeeds = 500_000;
const replaySeeds = 600_000;

/** The stem learns letters from perception data, for a number of steps or of minutes. */
export async function letters(
  workspace: Workspace,
  settings: Pick<Settings, 'letters' | 'seed'>,
  length: Length,
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
    onStep: (step, of) => {
      curve.push(step);
      options.onStep?.(step, of);
    },
    signal: options.signal,
  });
  return { steps, curve };
}

/** Supervised training from demonstrations and perception data. */
export async function sft(
  workspace: Workspace,
  settings: Pick<Settings, 'sft' | 'seed'>,
  length: Length,
  options: StageOptions & { onStep?: (step: SftStep, steps: number) => void } = {},
): Promise<{ steps: number; curve: SftStep[] }> {
  const demonstrations = await readDemonstrations(workspace);
  const feed = new PerceptionFeed(workspace.pool, settings.seed);
  const curve: SftStep[] = [];
  const { peak, glyphWeight, perception, demonstrations: shown, mix } = settings.sft;
  const steps = await trainSft({
    engine: workspace.engine,
    demonstrations,
    perception: (first, count) => feed.take(first, count),
    length,
    seed: settings.seed,
    batch: { demonstrations: shown, perception },
    mix,
    peak,
    glyphWeight,
    onStep: (step, of) => {
      curve.push(step);
      options.onStep?.(step, of);
    },
    signal: options.signal,
  });
  return { steps, curve };
}

export interface PpoIteration extends PpoUpdate {
  iteration: number;
  /** Environment steps so far, this iteration included. */
  environmentSteps: number;
  /** Share of successes of this iteration's episodes, before the update, by family. */
  success: Record<string, number>;
  episodes: number;
  infraErrors: number;
  /** Seconds spent in rollouts and in the update. */
  rolloutSeconds: number;
  updateSeconds: number;
  learningRate: number;
  /** Mean losses of the supervised steps, and the seconds that they took. */
  replay?: { perceptionLoss: number; demonstrationLoss: number; seconds: number };
}

/**
 * PPO iterations until `until` says so, on tasks of the train split that no iteration has had before. Between them, with
 * `ppo.replay`, supervised steps on perception data, the lake's demonstrations where it has any, and every episode of these that
 * succeeded.
 */
export async function ppo(
  workspace: Workspace,
  settings: Pick<Settings, 'families' | 'ppo' | 'sft' | 'seed'>,
  until: (iteration: PpoIteration) => boolean,
  options: StageOptions & {
    critic?: EngineThread;
    /** How much of the stage is over, 0..1: learning rates fall to a fifth in a straight line. Constant where absent. */
    progress?: () => number;
    onIteration?: (iteration: PpoIteration) => void;
  } = {},
): Promise<PpoIteration[]> {
  const random = new Random(settings.seed).fork('ppo');
  const reader = new ScreenshotReader(workspace.lake);
  const policy = nativePolicy({ name: 'nano', engine: workspace.engine });
  const { families } = settings;
  const total = families.reduce((sum, family) => sum + shareOf(settings.ppo.mix, family), 0);
  // A guess for the first iteration; from then on as it was.
  const turns = new Map(families.map((family) => [family, 5]));
  // Beyond the seeds of the demonstrations.
  let seed = settings.seed * 100_000 + 50_000;
  const done: PpoIteration[] = [];
  const { steps, decisions: imitated, perception, learningRate: replayRate } = settings.ppo.replay;
  const demonstrations = steps > 0 ? await readDemonstrations(workspace) : [];
  let succeeded: Decision[] = [];
  const feed = new PerceptionFeed(workspace.pool, settings.seed + replaySeeds);
  let environmentSteps = 0;
  for (;;) {
    if (options.signal?.aborted) return done;
    const started = performance.now();
    const jobs = families.flatMap((family) => {
      const wanted = (settings.ppo.decisions * shareOf(settings.ppo.mix, family)) / total;
      const count = Math.max(8, Math.round(wanted / (turns.get(family) ?? 1)));
      const from = seed;
      seed += count;
      return [...workspace.jobs(family, 'train', from, count, 'ppo')];
    });
    const { episodes, infraErrors } = await workspace.play(policy, random.shuffle(jobs), options);
    if (options.signal?.aborted) return done;
    const rollouts: Rollout[] = [];
    for (const episode of episodes) {
      const made = await decisions(episode, workspace.screenshots, reader);
      rollouts.push({ episode, decisions: made });
    }
    const played = performance.now();
    const decay = 1 - 0.8 * Math.min(1, options.progress?.() ?? 0);
    const warm = Math.min(1, (done.length + 1) / Math.max(1, settings.ppo.warmup));
    const learningRate = settings.ppo.learningRate * decay * warm;
    const update = await updatePpo(
      workspace.engine,
      rollouts,
      ppoOptions(settings, learningRate, options.critic),
      random,
    );
    environmentSteps += episodes.reduce((total, episode) => total + episode.turns.length, 0);
    const success: Record<string, number> = {};
    for (const family of families) {
      const of = episodes.filter(({ task }) => task.family === family);
      success[family] = mean(of.map(({ verdict }) => (verdict?.success ? 1 : 0)));
      if (of.length > 0) turns.set(family, mean(of.map((episode) => episode.turns.length)));
    }
    const iteration: PpoIteration = {
      ...update,
      iteration: done.length + 1,
      environmentSteps,
      success,
      episodes: episodes.length,
      infraErrors,
      rolloutSeconds: (played - started) / 1000,
      updateSeconds: (performance.now() - played) / 1000,
      learningRate,
    };
    if (steps > 0) {
      const won = rollouts.filter(({ episode }) => episode.verdict?.success).flatMap(({ decisions: made }) => made);
      succeeded = [...succeeded, ...won].slice(-mostSucceeded);
    }
    const imitable = [...demonstrations, ...succeeded];
    if (imitable.length > 0) {
      const began = performance.now();
      // Few successes are not gone through again and again.
      const mostSteps = Math.ceil((mostPasses * imitable.length) / imitated);
      const losses = await replay({
        engine: workspace.engine,
        demonstrations: imitable,
        perception: (first, count) => feed.take(first, count),
        batch: { demonstrations: imitated, perception },
        // Without demonstrations the families that succeed seldom have little to show: they are not drawn as often as the others.
        mix: demonstrations.length > 0 ? settings.ppo.mix : Object.fromEntries(countByFamily(imitable)),
        glyphWeight: settings.sft.glyphWeight,
        from: done.length * steps,
        steps: Math.min(steps, mostSteps),
        learningRate: replayRate * decay,
        random,
        signal: options.signal,
      });
      iteration.replay = { ...losses, seconds: (performance.now() - began) / 1000 };
    }
    done.push(iteration);
    options.onIteration?.(iteration);
    if (until(iteration)) return done;
  }
}

/** The critic starts from the policy's weights and learns the returns of the fixed policy. */
export async function valuePretraining(
  workspace: Workspace,
  settings: Pick<Settings, 'families' | 'ppo' | 'seed'>,
  from: { policy: string; episodes: number; name: string },
  options: StageOptions & { onEpoch?: (epoch: ValueEpoch) => void } = {},
): Promise<{ critic: EngineThread; epochs: ValueEpoch[] }> {
  const critic = await workspace.critic();
  await critic.load(from.policy);
  const policy = nativePolicy({ name: 'nano', engine: workspace.engine });
  const { families } = settings;
  const each = Math.ceil(from.episodes / families.length);
  const first = settings.seed * 100_000 + 30_000;
  const jobs = families.flatMap((family) => [...workspace.jobs(family, 'train', first, each, 'value')]);
  const { episodes } = await workspace.play(policy, jobs, options);
  const reader = new ScreenshotReader(workspace.lake);
  const rollouts: Rollout[] = [];
  for (const episode of episodes) {
    const made = await decisions(episode, workspace.screenshots, reader);
    rollouts.push({ episode, decisions: made });
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
    { save: () => critic.save(path), restore: async () => void (await critic.load(path)) },
    new Random(settings.seed).fork('value'),
  );
  return { critic, epochs };
}

function ppoOptions(settings: Pick<Settings, 'ppo'>, learningRate: number, critic?: EngineThread) {
  const { clipLow, clipHigh, epochs, minibatch, gamma, freezeEncoder, lambdaCritic, lambdaPolicy, alpha } =
    settings.ppo;
  const { criticLearningRate, valueClip } = settings.ppo;
  const advantage: Advantage = critic
    ? { kind: 'critic', lambdaCritic, lambdaPolicy: lambdaPolicy === 'adaptive' ? { alpha } : lambdaPolicy }
    : { kind: 'none' };
  return {
    learningRate,
    clipLow,
    clipHigh,
    epochs,
    minibatch,
    gamma,
    freezeEncoder,
    advantage,
    ...(critic && { critic: { engine: critic, learningRate: criticLearningRate, valueClip } }),
  };
}

function shareOf(mix: Readonly<Record<string, number>>, family: string): number {
  return mix[family] ?? 1;
}

function countByFamily(all: readonly Decision[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { family } of all) counts.set(family, (counts.get(family) ?? 0) + 1);
  return counts;
}
