import { type EngineThread, Random } from '@gyre/engine';
import { type Decision, ScreenshotReader, decisions } from './dataset.js';
import { type PpoIteration, played, sharesOf } from './iteration.js';
import { PerceptionFeed } from './perceptionFeed.js';
import { type PpoOptions, updatePpo } from './ppo.js';
import { type RolloutSource, rolloutSource } from './rolloutSource.js';
import type { Settings } from './settings.js';
import { replay } from './sft.js';
import { type StageOptions, readDemonstrations } from './stages.js';
import type { Advantage, Rollout } from './targets.js';
import { UpdateLog } from './updateLog.js';
import type { Workspace } from './workspace.js';

/** Most decisions of successful episodes that are kept for imitation, the newest: each holds a screenshot. */
const mostSucceeded = 4096;

/** How often, at most, a decision is imitated after an update, on average. */
const mostPasses = 2;

/** Perception data of its own. */
const replaySeeds = 600_000;

type PracticeSettings = Pick<Settings, 'families' | 'ppo' | 'sft' | 'seed'>;

export interface PracticeOptions extends StageOptions {
  critic?: EngineThread;
  /** How much of the stage is over, 0..1: learning rates fall to a fifth in a straight line. Constant where absent. */
  progress?: () => number;
  onIteration?: (iteration: PpoIteration) => void;
}

/**
 * PPO or, with the advantage `group`, GRPO iterations until `until` says so, on tasks of the train split that no iteration has had before.
 * Between them, with `ppo.replay`, supervised steps on perception data, the lake's demonstrations where it has any, and every episode of
 * these that succeeded. The record of each iteration is kept in the folder, see `UpdateLog`.
 */
export async function ppo(
  workspace: Workspace,
  settings: PracticeSettings,
  until: (iteration: PpoIteration) => boolean,
  options: PracticeOptions = {},
): Promise<PpoIteration[]> {
  const reference = settings.ppo.kl > 0 ? await copyOf(workspace) : undefined;
  try {
    const source = rolloutSource(workspace, settings, options.signal);
    try {
      return await practise(workspace, settings, source, until, options, reference);
    } finally {
      await source.close();
    }
  } finally {
    await reference?.close();
  }
}

/** The policy as it is now, which does not change. */
async function copyOf(workspace: Workspace): Promise<EngineThread> {
  const weights = workspace.path('reference.safetensors');
  await workspace.engine.save(weights);
  const copy = await workspace.another('policy');
  await copy.load(weights, { optimiser: false });
  return copy;
}

async function practise(
  workspace: Workspace,
  settings: PracticeSettings,
  source: RolloutSource,
  until: (iteration: PpoIteration) => boolean,
  options: PracticeOptions,
  reference: EngineThread | undefined,
): Promise<PpoIteration[]> {
  const random = new Random(settings.seed).fork('ppo');
  const reader = new ScreenshotReader(workspace.lake);
  const { families } = settings;
  const log = await UpdateLog.open(workspace.dir);
  const done: PpoIteration[] = [];
  const { steps, decisions: imitated, perception, learningRate: replayRate } = settings.ppo.replay;
  const demonstrations = steps > 0 ? await readDemonstrations(workspace) : [];
  let succeeded: Decision[] = [];
  const feed = new PerceptionFeed(workspace.pool, settings.seed + replaySeeds);
  let environmentSteps = 0;
  for (;;) {
    if (options.signal?.aborted) return done;
    const started = performance.now();
    const { episodes, kept, infraErrors, groups, inference } = await source.next();
    if (options.signal?.aborted) return done;
    const rollouts: Rollout[] = [];
    for (const episode of kept) {
      const made = await decisions(episode, workspace.screenshots, reader);
      rollouts.push({ episode, decisions: made });
    }
    const updating = performance.now();
    const decay = 1 - 0.8 * Math.min(1, options.progress?.() ?? 0);
    const warm = Math.min(1, (done.length + 1) / Math.max(1, settings.ppo.warmup));
    const learningRate = settings.ppo.learningRate * decay * warm;
    const update = await updatePpo(
      workspace.engine,
      rollouts,
      ppoOptions(settings, learningRate, options.critic, reference),
      random,
    );
    const updated = performance.now();
    environmentSteps += episodes.reduce((total, episode) => total + episode.turns.length, 0);
    if (steps > 0) {
      const won = rollouts.filter(({ episode }) => episode.verdict?.success).flatMap(({ decisions: made }) => made);
      succeeded = [...succeeded, ...won].slice(-mostSucceeded);
    }
    const imitable = [...demonstrations, ...succeeded];
    let imitation: PpoIteration['replay'];
    if (imitable.length > 0) {
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
      imitation = { ...losses, seconds: (performance.now() - updated) / 1000 };
    }
    const seconds = {
      rollout: (updating - started) / 1000,
      update: (updated - updating) / 1000,
      replay: imitation?.seconds ?? 0,
    };
    const iteration: PpoIteration = {
      iteration: done.length + 1,
      environmentSteps,
      ...played(episodes, families, infraErrors),
      ...(groups && { groups }),
      ...update,
      rolloutSeconds: seconds.rollout,
      updateSeconds: seconds.update,
      shares: sharesOf(seconds, inference),
      learningRate,
      ...(imitation && { replay: imitation }),
    };
    await log.write(iteration);
    done.push(iteration);
    options.onIteration?.(iteration);
    if (until(iteration)) return done;
  }
}

function ppoOptions(
  settings: Pick<Settings, 'ppo'>,
  learningRate: number,
  critic: EngineThread | undefined,
  reference: EngineThread | undefined,
): PpoOptions {
  const { clipLow, clipHigh, epochs, minibatch, gamma, freezeEncoder, behaviourCap, imitation, kl } = settings.ppo;
  const { criticLearningRate, valueClip } = settings.ppo;
  return {
    learningRate,
    clipLow,
    clipHigh,
    epochs,
    minibatch,
    gamma,
    freezeEncoder,
    behaviourCap,
    imitation,
    advantage: advantageOf(settings, critic !== undefined),
    ...(critic && { critic: { engine: critic, learningRate: criticLearningRate, valueClip } }),
    ...(reference && { reference: { engine: reference, weight: kl } }),
  };
}

function advantageOf({ ppo }: Pick<Settings, 'ppo'>, hasCritic: boolean): Advantage {
  const { lambdaCritic, lambdaPolicy, alpha, group } = ppo;
  if (ppo.advantage === 'group') {
    return { kind: 'group', normalise: group.normalise, leaveOneOut: group.leaveOneOut };
  }
  if (!hasCritic) return { kind: 'none' };
  return { kind: 'critic', lambdaCritic, lambdaPolicy: lambdaPolicy === 'adaptive' ? { alpha } : lambdaPolicy };
}

function countByFamily(all: readonly Decision[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { family } of all) counts.set(family, (counts.get(family) ?? 0) + 1);
  return counts;
}
