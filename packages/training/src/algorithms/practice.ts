import { type EngineThread, Random } from '@gyre/engine';
import type { Episode } from '@gyre/protocol';
import { Baseline, type BaselineState } from '../advantages/baseline.js';
import { type Decision, ScreenshotReader, decisions } from '../rollouts/dataset.js';
import { type PpoIteration, played, sharesOf } from './iteration.js';
import type { Journal, StageOutcome } from '../flywheel/journal.js';
import { judged, ormScores } from '../value/orm.js';
import { PerceptionFeed } from '../ct/perceptionFeed.js';
import { type PpoOptions, updatePpo } from './ppo.js';
import { rewarded } from '../advantages/rewards.js';
import { type RolloutSource, type SourceState, rolloutSource } from '../rollouts/rolloutSource.js';
import type { Settings } from '../flywheel/settings.js';
import { replay } from '../sft/sft.js';
import { type StageOptions, readDemonstrations } from '../flywheel/stages.js';
import type { Advantage, Rollout } from '../advantages/targets.js';
import { UpdateLog } from '../metrics/updateLog.js';
import type { Workspace } from '../flywheel/workspace.js';

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
  /** Environment steps of practice before this one, after which its records are drawn. Default 0. */
  stepsBefore?: number;
  /**
   * Where every iteration is kept as a stage that learns: practice that was killed goes on after the last that was over, with the tasks that
   * were under way. Its holder has the weights of the policy, and of the critic where there is one. Default: nothing is kept.
   */
  journal?: Journal;
}

/** What an iteration leaves to those after it, as JSON. */
interface Learnt extends StageOutcome {
  readonly iteration: PpoIteration;
  /** Ids of the episodes that succeeded, where they are imitated. */
  readonly won: readonly string[];
  readonly source: SourceState;
  /** Absent in older journals. */
  readonly baseline?: BaselineState;
}

/**
 * PPO or, with the advantage `group`, GRPO iterations until `until` says so, on tasks of the train split that no iteration has had before.
 * Between them, with `ppo.replay`, supervised steps on perception data, the lake's demonstrations where it has any, and every episode of
 * these that succeeded. The record of each iteration is kept in the lake and in the folder, see `UpdateLog`; of one that was broken off it may be there
 * twice, and the later counts.
 */
export async function ppo(
  workspace: Workspace,
  settings: PracticeSettings,
  until: (iteration: PpoIteration) => boolean,
  options: PracticeOptions = {},
): Promise<PpoIteration[]> {
  const reference = settings.ppo.kl > 0 ? await copyOf(workspace) : undefined;
  const { orm: judge } = settings.ppo.reward;
  const orm = judge === undefined ? undefined : await engineOf(workspace, judge);
  const log = await UpdateLog.open(workspace.dir, workspace.lake, undefined, workspace.lock);
  const practice = new Practice(workspace, settings, options, { reference, orm }, log);
  const { journal, signal } = options;
  const done: PpoIteration[] = [];
  try {
    while (!signal?.aborted) {
      const carryOut = (): Promise<Learnt> => practice.iterate();
      const learnt = journal
        ? (await journal.stage(`iteration ${done.length + 1}`, carryOut, { learns: true })).outcome
        : await carryOut();
      practice.take(learnt);
      done.push(learnt.iteration);
      options.onIteration?.(learnt.iteration);
      if (until(learnt.iteration)) break;
    }
  } catch (error) {
    // What it was told to stop in is not over.
    if (!signal?.aborted) throw error;
  } finally {
    await practice.close();
    await reference?.close();
    await orm?.close();
  }
  return done;
}

/** The policy as it is now, which does not change. */
async function copyOf(workspace: Workspace): Promise<EngineThread> {
  const weights = workspace.path('reference.safetensors');
  await workspace.save(weights);
  return engineOf(workspace, weights);
}

/** A policy of these weights, which does not learn. */
async function engineOf(workspace: Workspace, weights: string): Promise<EngineThread> {
  const engine = await workspace.another('policy');
  try {
    await engine.load(weights, { optimiser: false });
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Iterations, one after the other. What they need of those before them `take` gives, also where these were carried out before a kill. */
class Practice {
  private readonly reader: ScreenshotReader;
  private readonly feed: PerceptionFeed;
  private done = 0;
  private environmentSteps = 0;
  /** Ids of the episodes that succeeded, oldest first. */
  private won: string[] = [];
  /** Where the source stands that another process had. */
  private stood: SourceState | undefined;
  private baseline: BaselineState = {};
  /** From the first iteration on that is carried out here. */
  private running: { source: RolloutSource; demonstrations: Decision[]; succeeded: Decision[] } | undefined;

  constructor(
    private readonly workspace: Workspace,
    private readonly settings: PracticeSettings,
    private readonly options: PracticeOptions,
    private readonly others: { readonly reference: EngineThread | undefined; readonly orm: EngineThread | undefined },
    private readonly log: UpdateLog,
  ) {
    this.reader = new ScreenshotReader(workspace.lake);
    this.feed = new PerceptionFeed(workspace.pool, settings.seed + replaySeeds);
  }

  /** An iteration that is over. */
  take({ iteration, won, source, baseline = {} }: Learnt): void {
    this.done++;
    this.environmentSteps = iteration.environmentSteps;
    this.won.push(...won);
    this.stood = source;
    this.baseline = baseline;
  }

  /** @throws the reason of the signal, once it is aborted. */
  async iterate(): Promise<Learnt> {
    const { workspace, settings, options, log } = this;
    const { reference } = this.others;
    const { signal } = options;
    const { families, ppo } = settings;
    const { source, demonstrations, ...running } = (this.running ??= await this.begin());
    const random = new Random(settings.seed).fork(`ppo ${this.done}`);
    const started = performance.now();
    const { episodes, kept, infraErrors, groups, inference } = await source.next();
    signal?.throwIfAborted();
    const rollouts = await this.rewarded(await this.rollouts(kept));
    const updating = performance.now();
    const decay = 1 - 0.8 * Math.min(1, options.progress?.() ?? 0);
    const warm = Math.min(1, (this.done + 1) / Math.max(1, ppo.warmup));
    const learningRate = ppo.learningRate * decay * warm;
    const baseline = new Baseline(this.baseline);
    const update = await updatePpo(
      workspace.engine,
      rollouts,
      { ...ppoOptions(settings, learningRate, options.critic, reference), baseline },
      random,
    );
    const updated = performance.now();
    const won = ppo.replay.steps > 0 ? rollouts.filter(({ episode }) => episode.verdict?.success) : [];
    const made = won.flatMap(({ decisions: of }) => of);
    const succeeded = [...running.succeeded, ...made].slice(-mostSucceeded);
    this.running = { source, demonstrations, succeeded };
    const imitation = await this.imitate([...demonstrations, ...succeeded], demonstrations.length > 0, decay, random);
    const seconds = {
      rollout: (updating - started) / 1000,
      update: (updated - updating) / 1000,
      replay: imitation?.seconds ?? 0,
    };
    const turns = episodes.reduce((total, episode) => total + episode.turns.length, 0);
    const iteration: PpoIteration = {
      iteration: this.done + 1,
      environmentSteps: this.environmentSteps + turns,
      ...played(episodes, families, infraErrors),
      ...(groups && { groups }),
      ...update,
      rolloutSeconds: seconds.rollout,
      updateSeconds: seconds.update,
      shares: sharesOf(seconds, inference),
      learningRate,
      ...(imitation && { replay: imitation }),
    };
    signal?.throwIfAborted();
    await log.write({ ...iteration, environmentSteps: (options.stepsBefore ?? 0) + iteration.environmentSteps });
    const ids = won.map(({ episode }) => episode.id);
    return { turns, iteration, won: ids, source: source.state(), baseline: baseline.state() };
  }

  async close(): Promise<void> {
    await this.running?.source.close();
  }

  private async begin(): Promise<NonNullable<Practice['running']>> {
    const { workspace, settings, options } = this;
    return {
      source: rolloutSource(workspace, settings, options.signal, this.stood),
      demonstrations: settings.ppo.replay.steps > 0 ? await readDemonstrations(workspace, settings.sft) : [],
      succeeded: await this.recalled(),
    };
  }

  /** Decisions of the episodes that succeeded before, from the lake. */
  private async recalled(): Promise<Decision[]> {
    const order = new Map(this.won.map((id, place) => [id, place]));
    if (order.size === 0) return [];
    const found: Episode[] = [];
    for await (const episode of this.workspace.lake.episodes({ ids: order.keys() })) {
      found.push(episode);
    }
    found.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
    return (await this.rollouts(found)).flatMap(({ decisions: of }) => of).slice(-mostSucceeded);
  }

  private async rollouts(episodes: readonly Episode[]): Promise<Rollout[]> {
    const out: Rollout[] = [];
    for (const episode of episodes) {
      out.push({ episode, decisions: await decisions(episode, this.workspace.screenshots, this.reader) });
    }
    return out;
  }

  /** With the rewards that they are learnt from. */
  private async rewarded(rollouts: readonly Rollout[]): Promise<Rollout[]> {
    const { reward } = this.settings.ppo;
    const { orm } = this.others;
    const asked =
      orm && rollouts.map(({ episode }) => judged(episode, this.workspace.architecture.screenshots, this.reader));
    const scores = asked && (await ormScores(orm, await Promise.all(asked)));
    return rollouts.map((rollout, index) => rewarded(rollout, reward, scores?.[index]));
  }

  private async imitate(
    imitable: readonly Decision[],
    hasDemonstrations: boolean,
    decay: number,
    random: Random,
  ): Promise<PpoIteration['replay']> {
    if (imitable.length === 0) return undefined;
    const { settings, workspace, options } = this;
    const { ppo, sft } = settings;
    const { steps, decisions: imitated, perception, learningRate } = ppo.replay;
    const started = performance.now();
    // Few successes are not gone through again and again.
    const mostSteps = Math.ceil((mostPasses * imitable.length) / imitated);
    const losses = await replay({
      engine: workspace.engine,
      demonstrations: imitable,
      perception: (first, count) => this.feed.take(first, count),
      batch: { demonstrations: imitated, perception },
      // Without demonstrations the families that succeed seldom have little to show: they are not drawn as often as the others.
      mix: hasDemonstrations ? ppo.mix : Object.fromEntries(countByFamily(imitable)),
      glyphWeight: sft.glyphWeight,
      from: this.done * steps,
      steps: Math.min(steps, mostSteps),
      learningRate: learningRate * decay,
      random,
      signal: options.signal,
    });
    return { ...losses, seconds: (performance.now() - started) / 1000 };
  }
}

function ppoOptions(
  settings: Pick<Settings, 'ppo'>,
  learningRate: number,
  critic: EngineThread | undefined,
  reference: EngineThread | undefined,
): PpoOptions {
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
    advantage: advantageOf(settings, critic !== undefined),
    ...(critic && { critic: { engine: critic, learningRate: criticLearningRate, valueClip, epochs: criticEpochs } }),
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
