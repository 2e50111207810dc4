import { type EngineThread, Random } from '@gyre/engine';
import { type Episode, GyreError } from '@gyre/protocol';
import { Baseline, type BaselineState } from '../advantages/baseline.js';
import { type Decision, ScreenshotReader } from '../rollouts/dataset.js';
import { type PpoIteration, continuationCounts, playedMetrics, sharesOf, turnCount } from './iteration.js';
import { withValues } from '../rollouts/continuations.js';
import type { Journal, StageOutcome } from '../flywheel/journal.js';
import type { StoredEngine } from '../flywheel/learner.js';
import { ormScores } from '../value/orm.js';
import { ormQuery } from '../value/ormQuery.js';
import { PerceptionFeed } from '../ct/perceptionFeed.js';
import { shapeRewards } from '../advantages/rewards.js';
import type { QueuedRollouts } from '../rollouts/queuedRollouts.js';
import { type RolloutSource, type SourceState, rolloutSource } from '../rollouts/rolloutSource.js';
import type { Settings } from '../flywheel/settings.js';
import { replay } from '../sft/sft.js';
import { type StageOptions, readDemonstrations } from '../flywheel/stages.js';
import type { Rollout } from '../advantages/targets.js';
import { type Algorithm, type UpdateOptions, updatePolicy } from './update.js';
import { expectForkable } from './vineppo.js';
import { UpdateLog } from '../metrics/updateLog.js';
import type { Workspace } from '../flywheel/workspace.js';

/** Newest decisions to imitate; each holds a screenshot in memory. */
const maxSuccesses = 4096;

/** Per update. */
const maxPasses = 2;

/** Reserved seeds. */
const replaySeeds = 600_000;

type RlSettings = Pick<Settings, 'families' | 'ppo' | 'sft' | 'seed'>;

export interface RlOptions extends StageOptions {
  critic?: StoredEngine;
  /** 0..1; learning rates fall linearly to a fifth. Default: constant. */
  progress?: () => number;
  onIteration?: (iteration: PpoIteration) => void;
  stepsBefore?: number;
  /** Workers play the rollouts, instead of this machine. */
  queued?: Pick<QueuedRollouts, 'play' | 'announce'>;
  /** Records iterations, so that a run resumes with its tasks under way. Its holder saves the weights. */
  journal?: Journal;
}

interface IterationRecord extends StageOutcome {
  readonly iteration: PpoIteration;
  /** Ids of the episodes that the update learnt from. */
  readonly trained: readonly string[];
  readonly won: readonly string[];
  readonly source: SourceState;
  readonly baseline?: BaselineState;
}

/**
 * Trains by PPO, GRPO, VinePPO or REINFORCE until `until` returns true. With `ppo.replay`, supervised steps follow each
 * update. An interrupted iteration may be logged twice; the later record counts.
 * @throws GyreError 'bad_input' for settings that VinePPO cannot train with
 */
export async function trainRl(
  workspace: Workspace,
  settings: RlSettings,
  until: (iteration: PpoIteration) => boolean,
  options: RlOptions = {},
): Promise<PpoIteration[]> {
  expectForkable(settings);
  if (options.queued) expectQueueable(workspace, settings);
  const reference = settings.ppo.kl > 0 ? await copyOf(workspace) : undefined;
  const { orm: judge } = settings.ppo.reward;
  const orm = judge === undefined ? undefined : await engineOf(workspace, judge);
  const log = await UpdateLog.open(workspace.dir, workspace.lake, undefined, workspace.lock);
  const trainer = new RlTrainer(workspace, settings, options, { reference, orm }, log);
  const { journal, signal } = options;
  const done: PpoIteration[] = [];
  try {
    while (!signal?.aborted) {
      const carryOut = (): Promise<IterationRecord> => trainer.iterate();
      const record = journal
        ? (await journal.stage(`iteration ${done.length + 1}`, carryOut, { learns: true })).outcome
        : await carryOut();
      trainer.accept(record);
      done.push(record.iteration);
      options.onIteration?.(record.iteration);
      if (until(record.iteration)) break;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    await trainer.close();
    await reference?.close();
    await orm?.close();
  }
  return done;
}

/** Throws `bad_input` for runs whose episodes workers cannot play. */
export function expectQueueable({ isNative }: Pick<Workspace, 'isNative'>, { ppo }: Pick<Settings, 'ppo'>): void {
  const reason =
    ppo.advantage === 'vineppo'
      ? 'VinePPO forks the episodes of this machine'
      : !isNative && 'a served policy has no weights to announce';
  if (reason === false) return;
  throw new GyreError('bad_input', `workers cannot play these rollouts: ${reason}`, {
    field: '--join',
    fix: 'omit it, or train a native policy by PPO or GRPO',
  });
}

async function copyOf(workspace: Workspace): Promise<EngineThread> {
  const weights = workspace.path('reference.safetensors');
  await workspace.save(weights);
  return engineOf(workspace, weights);
}

async function engineOf(workspace: Workspace, weights: string): Promise<EngineThread> {
  const engine = await workspace.native.another('policy');
  try {
    await engine.load(weights, { optimiser: false });
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

interface RunningLoop {
  source: RolloutSource;
  demonstrations: Decision[];
  succeeded: Decision[];
}

/** `accept` restores the state after each iteration, including those of an earlier process. */
class RlTrainer {
  readonly #workspace: Workspace;
  readonly #settings: RlSettings;
  readonly #options: RlOptions;
  readonly #engines: { readonly reference: EngineThread | undefined; readonly orm: EngineThread | undefined };
  readonly #log: UpdateLog;

  readonly #reader: ScreenshotReader;
  readonly #feed: PerceptionFeed;
  #iterationsDone = 0;
  #environmentSteps = 0;
  #succeededIds: string[] = [];
  #sourceState: SourceState | undefined;
  #baseline: BaselineState = {};
  #running: RunningLoop | undefined;

  constructor(
    workspace: Workspace,
    settings: RlSettings,
    options: RlOptions,
    engines: { readonly reference: EngineThread | undefined; readonly orm: EngineThread | undefined },
    log: UpdateLog,
  ) {
    this.#workspace = workspace;
    this.#settings = settings;
    this.#options = options;
    this.#engines = engines;
    this.#log = log;

    this.#reader = new ScreenshotReader(workspace.lake);
    this.#feed = new PerceptionFeed(workspace.pool, settings.seed + replaySeeds);
  }

  accept({ iteration, won, source, baseline = {} }: IterationRecord): void {
    this.#iterationsDone++;
    this.#environmentSteps = iteration.environmentSteps;
    this.#succeededIds.push(...won);
    this.#sourceState = source;
    this.#baseline = baseline;
  }

  async iterate(): Promise<IterationRecord> {
    const workspace = this.#workspace;
    const settings = this.#settings;
    const options = this.#options;
    const log = this.#log;
    const { reference } = this.#engines;
    const { signal } = options;
    const { families, ppo } = settings;
    const { source, demonstrations, ...running } = (this.#running ??= await this.#begin());
    const random = new Random(settings.seed).fork(`ppo ${this.#iterationsDone}`);
    const started = performance.now();
    const { episodes, trainable, continuations, infraErrors, groups, inference } = await source.next();
    signal?.throwIfAborted();
    const rollouts = await this.#valued(await this.#shapeRewards(await this.#rollouts(trainable)), continuations);
    const updating = performance.now();
    const decay = 1 - 0.8 * Math.min(1, options.progress?.() ?? 0);
    const warm = Math.min(1, (this.#iterationsDone + 1) / Math.max(1, ppo.warmup));
    const learningRate = ppo.learningRate * decay * warm;
    const baseline = new Baseline(this.#baseline);
    const { learner } = workspace;
    const update = await updatePolicy(
      learner.engine,
      rollouts,
      { ...updateOptions(settings, learningRate, options.critic, reference), baseline, gap: learner.gap },
      random,
    );
    const updated = performance.now();
    const successes = ppo.replay.steps > 0 ? rollouts.filter(({ episode }) => episode.verdict?.success) : [];
    const succeeded = [...running.succeeded, ...successes.flatMap((rollout) => rollout.decisions)].slice(-maxSuccesses);
    this.#running = { source, demonstrations, succeeded };
    const imitation = await this.#imitate([...demonstrations, ...succeeded], demonstrations.length > 0, decay, random);
    await learner.publish();
    await options.queued?.announce(options.signal);
    const seconds = {
      rollout: (updating - started) / 1000,
      update: (updated - updating) / 1000,
      replay: imitation?.seconds ?? 0,
    };
    const turns = turnCount([...episodes, ...continuations]);
    const iteration: PpoIteration = {
      iteration: this.#iterationsDone + 1,
      environmentSteps: this.#environmentSteps + turns,
      ...playedMetrics(episodes, families, infraErrors),
      ...(groups && { groups }),
      ...(continuations.length > 0 && { continuations: continuationCounts(continuations) }),
      ...update,
      rolloutSeconds: seconds.rollout,
      updateSeconds: seconds.update,
      shares: sharesOf(seconds, inference),
      learningRate,
      ...(imitation && { replay: imitation }),
    };
    signal?.throwIfAborted();
    await log.write({ ...iteration, environmentSteps: (options.stepsBefore ?? 0) + iteration.environmentSteps });
    const ids = successes.map(({ episode }) => episode.id);
    const trained = trainable.map(({ id }) => id);
    return { turns, iteration, trained, won: ids, source: source.state(), baseline: baseline.state() };
  }

  async close(): Promise<void> {
    await this.#running?.source.close();
  }

  async #begin(): Promise<RunningLoop> {
    const workspace = this.#workspace;
    const settings = this.#settings;
    const options = this.#options;
    await options.queued?.announce(options.signal);
    return {
      source: rolloutSource(workspace, settings, options.signal, this.#sourceState, options.queued?.play),
      demonstrations: settings.ppo.replay.steps > 0 ? await readDemonstrations(workspace, settings.sft) : [],
      succeeded: await this.#succeededBefore(),
    };
  }

  async #succeededBefore(): Promise<Decision[]> {
    const order = new Map(this.#succeededIds.map((id, place) => [id, place]));
    if (order.size === 0) return [];
    const episodes: Episode[] = [];
    for await (const episode of this.#workspace.lake.episodes({ ids: order.keys() })) {
      episodes.push(episode);
    }
    episodes.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
    return (await this.#rollouts(episodes)).flatMap((rollout) => rollout.decisions).slice(-maxSuccesses);
  }

  async #rollouts(episodes: readonly Episode[]): Promise<Rollout[]> {
    const out: Rollout[] = [];
    for (const episode of episodes) {
      out.push({ episode, decisions: await this.#workspace.learner.decisions(episode, this.#reader) });
    }
    return out;
  }

  async #shapeRewards(rollouts: readonly Rollout[]): Promise<Rollout[]> {
    const { reward } = this.#settings.ppo;
    const { orm } = this.#engines;
    const queries = orm && rollouts.map(({ episode }) => ormQuery(episode, this.#workspace, this.#reader));
    const scores = queries && (await ormScores(orm, await Promise.all(queries)));
    return rollouts.map((rollout, index) => shapeRewards(rollout, reward, scores?.[index]));
  }

  async #valued(rollouts: Rollout[], continuations: readonly Episode[]): Promise<Rollout[]> {
    const { advantage, gamma } = this.#settings.ppo;
    if (advantage !== 'vineppo') return rollouts;
    const shaped = await this.#shapeRewards(continuations.map((episode) => ({ episode, decisions: [] })));
    return withValues(rollouts, shaped, { gamma, reads: this.#workspace.view.reads });
  }

  async #imitate(
    imitable: readonly Decision[],
    hasDemonstrations: boolean,
    decay: number,
    random: Random,
  ): Promise<PpoIteration['replay']> {
    if (imitable.length === 0) return undefined;
    const settings = this.#settings;
    const workspace = this.#workspace;
    const options = this.#options;
    const { ppo, sft } = settings;
    const { steps, decisions: imitated, perception, learningRate } = ppo.replay;
    const started = performance.now();
    // Limits repetition of few successes.
    const maxSteps = Math.ceil((maxPasses * imitable.length) / imitated);
    const losses = await replay({
      engine: workspace.learner.engine,
      demonstrations: imitable,
      perception: (first, count) => this.#feed.take(first, count),
      batch: { demonstrations: imitated, perception: workspace.pages(perception) },
      mix: hasDemonstrations ? ppo.mix : Object.fromEntries(countByFamily(imitable)),
      glyphWeight: sft.glyphWeight,
      from: this.#iterationsDone * steps,
      steps: Math.min(steps, maxSteps),
      learningRate: learningRate * decay,
      random,
      signal: options.signal,
    });
    return { ...losses, seconds: (performance.now() - started) / 1000 };
  }
}

function updateOptions(
  settings: Pick<Settings, 'ppo'>,
  learningRate: number,
  critic: StoredEngine | undefined,
  reference: EngineThread | undefined,
): UpdateOptions {
  const { clipLow, clipHigh, dualClip, epochs, minibatch, gamma, freezeEncoder, behaviourCap, imitation, kl, entropy } =
    settings.ppo;
  const { criticLearningRate, criticEpochs, valueClip } = settings.ppo;
  return {
    learningRate,
    clipLow,
    clipHigh,
    dualClip,
    epochs,
    minibatch,
    gamma,
    freezeEncoder,
    behaviourCap,
    imitation,
    entropy,
    advantage: algorithmOf(settings, critic !== undefined),
    ...(critic && { critic: { engine: critic, learningRate: criticLearningRate, valueClip, epochs: criticEpochs } }),
    ...(reference && { reference: { engine: reference, weight: kl } }),
  };
}

function algorithmOf({ ppo }: Pick<Settings, 'ppo'>, hasCritic: boolean): Algorithm {
  const { lambdaCritic, lambdaPolicy, alpha, group } = ppo;
  if (ppo.advantage === 'group') {
    return { kind: 'group', normalise: group.normalise, leaveOneOut: group.leaveOneOut };
  }
  if (ppo.advantage === 'vineppo') return { kind: 'vineppo' };
  if (!hasCritic) return { kind: 'none' };
  return { kind: 'critic', lambdaCritic, lambdaPolicy: lambdaPolicy === 'adaptive' ? { alpha } : lambdaPolicy };
}

function countByFamily(decisions: readonly Decision[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { family } of decisions) counts.set(family, (counts.get(family) ?? 0) + 1);
  return counts;
}
