import { join } from 'node:path';
import {
  type Episodes,
  type EpisodesOptions,
  type GivenUp,
  type Job,
  type Oracle,
  type Policy,
  TaskSessions,
  oraclePolicy,
  readingOracle,
  runEpisodes,
} from '@gyre/agent';
import { type EngineThread, type NativeArchitecture, Random, architectures } from '@gyre/engine';
import { FolderLock, Lake } from '@gyre/lake';
import { type Environment, type Episode, GyreError, type Size, type Split } from '@gyre/protocol';
import { LazyReader } from '@gyre/reader';
import type { BrowserPool, Machines } from '@gyre/sandbox';
import { type AnyFamily, type AnyInstance, type PageAids, familyOf, openTask } from '@gyre/tasks';
import type { DecisionView } from '../rollouts/dataset.js';
import { SlowEnvironment } from '../rollouts/latency.js';
import { ServedLearner } from '../served/servedLearner.js';
import type { ServedSettings } from '../served/servedSettings.js';
import { type Learner, NativeLearner, type PlayOptions, type StoredEngine } from './learner.js';

export const lakeOf = (dir: string): string => join(dir, 'lake');

interface WorkspaceParts {
  readonly dir: string;
  readonly lock: FolderLock;
  readonly lake: Lake;
  readonly leases: TaskSessions;
  readonly pool: BrowserPool;
  readonly learner: Learner;
  /** Parallel episodes. */
  readonly sessions: number;
  readonly seed: number;
  /** Mean artificial latency in s. */
  readonly latency: number;
  /** In px; undefined for the family's. */
  readonly screen: Size | undefined;
}

/** Their turns become labels, so the elements that they hit are recorded. */
const labelled: ReadonlySet<string> = new Set(['demonstration', 'advised']);

/** A training run's folder and machines: lake, lock, the policy under training and browsers. */
export class Workspace {
  readonly #parts: WorkspaceParts;
  readonly dir: string;
  readonly lock: FolderLock;
  readonly lake: Lake;
  readonly pool: BrowserPool;
  readonly learner: Learner;
  readonly sessions: number;

  private constructor(parts: WorkspaceParts) {
    this.#parts = parts;
    this.dir = parts.dir;
    this.lock = parts.lock;
    this.lake = parts.lake;
    this.pool = parts.pool;
    this.learner = parts.learner;
    this.sessions = parts.sessions;
  }

  /**
   * Opens and locks the folder, to whose lake others may still write.
   * @throws GyreError `held` if another process has the folder; `storage`; for a served policy also `bad_input` and
   *   `infra`
   */
  static async open(options: {
    dir: string;
    seed: number;
    threads: number;
    browsers: number;
    sessions: number;
    /** Default 1; cost is proportional. */
    screenshots?: number;
    architecture?: NativeArchitecture | undefined;
    /** Default: adamw. */
    optimiser?: 'adamw' | 'muon';
    /** Saves the average of the weights over the tail of training. Default false. */
    average?: boolean;
    /** In px. Default: the family's. */
    screen?: Size | undefined;
    /** Mean artificial latency in s; see `SlowEnvironment`. Default 0. */
    latency?: number;
    /** As for `openReader`. Only an architecture with a reader uses it. */
    screenReader?: string | undefined;
    /** Trains a policy behind servers; then screenshots, architecture and optimiser are theirs. */
    served?: ServedSettings | undefined;
  }): Promise<Workspace> {
    const { dir, seed, browsers, sessions, latency = 0, screen } = options;
    const lock = await FolderLock.take(dir);
    const lake = await Lake.open(lakeOf(dir)).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
    const sessionsPerBrowser = Math.ceil((sessions + 1) / browsers);
    // Tasks have no animation: one frame shows an action's effect.
    const leases = new TaskSessions({ browsers, sessionsPerBrowser, stepMs: 1000 / 60 });
    const [pool, learner] = await Promise.all([leases.pages(), learnerOf(options, lake)]).catch(
      async (error: unknown) => {
        await Promise.allSettled([leases.close(), lake.close()]);
        await lock.release();
        throw error;
      },
    );
    return new Workspace({ dir, lock, lake, leases, pool, learner, sessions, seed, latency, screen });
  }

  get isNative(): boolean {
    return this.learner instanceof NativeLearner;
  }

  /**
   * Returns the learner of a native policy.
   *
   * @throws GyreError `bad_input` if the policy is served
   */
  get native(): NativeLearner {
    const { learner } = this;
    if (learner instanceof NativeLearner) return learner;
    throw new GyreError('bad_input', 'this stage trains native policies only', {
      field: 'served',
      fix: 'omit it for a served policy, or train a native policy',
    });
  }

  get engine(): EngineThread {
    return this.native.engine;
  }

  get architecture(): NativeArchitecture {
    return this.native.architecture;
  }

  /** Reads pixels for a policy with a reader. Opened on first use. */
  get reader(): LazyReader {
    return this.native.reader;
  }

  /** How the policy sees an episode. */
  get view(): DecisionView {
    return this.learner.view;
  }

  policy(options?: PlayOptions): Policy {
    return this.learner.policy(options);
  }

  /** Plays scripted solutions from which the policy can learn. */
  get oracle(): Oracle {
    return this.view.reads ? readingOracle(oraclePolicy, this.reader) : oraclePolicy;
  }

  /** Returns how many of `count` rendered pages a step takes: only native policies without a reader learn to read. */
  pages(count: number): number {
    return this.isNative && !this.view.reads ? count : 0;
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  /** @throws GyreError `held` if another process took the folder over; `storage` */
  async save(path: string, engine: Pick<StoredEngine, 'save'> = this.learner.engine): Promise<void> {
    await this.lock.expect();
    await engine.save(path);
  }

  /** Yields jobs for consecutive seeds, with `attempts` of different sampling seeds. */
  *jobs(
    family: string,
    split: Split,
    from: number,
    count: number,
    purpose: string,
    { attempts = 1, screen = this.#parts.screen }: { attempts?: number; screen?: Size | undefined } = {},
  ): Generator<Job> {
    const source = familyOf(family);
    for (let seed = from; seed < from + count; seed++) {
      const instance = source.create(split, seed, screen);
      for (let attempt = 0; attempt < attempts; attempt++) {
        // Prime strides separate runs and attempts.
        const sampleSeed = seed + this.#parts.seed * 1_000_003 + attempt * 32_452_843;
        const open = (machines: Machines) => {
          const environment = this.open(instance, machines, purpose);
          if (this.#parts.latency === 0) return environment;
          return new SlowEnvironment(environment, this.#parts.latency, new Random(sampleSeed).fork('latency'));
        };
        yield { task: instance.task, open, purpose, seed: sampleSeed };
      }
    }
  }

  /** Opens a task as `openTask` does, with what the policy needs to train on it. */
  open(instance: AnyInstance, machines: Machines, purpose: string): Environment {
    const family = familyOf(instance.task.family);
    return openTask(instance, machines, family, this.#aids(family, instance.task.split, purpose));
  }

  async play(
    policy: Policy | Oracle,
    jobs: Iterable<Job>,
    options: Pick<EpisodesOptions, 'signal' | 'advise'> & {
      onEpisode?: (episode: Episode) => void;
      sessions?: number;
    } = {},
  ): Promise<{ episodes: Episode[]; givenUp: readonly GivenUp[]; infraErrors: number }> {
    const episodes: Episode[] = [];
    const run = this.playing(policy, jobs, options);
    for await (const episode of run) {
      episodes.push(episode);
      options.onEpisode?.(episode);
    }
    return { episodes, givenUp: run.givenUp, infraErrors: run.counts.infraErrors };
  }

  playing(
    policy: Policy | Oracle,
    jobs: Iterable<Job> | AsyncIterable<Job>,
    options: Pick<EpisodesOptions, 'onOver' | 'signal' | 'advise'> & { sessions?: number } = {},
  ): Episodes {
    return runEpisodes({
      pool: this.#parts.leases,
      jobs,
      policy,
      concurrency: options.sessions ?? this.sessions,
      lake: this.lake,
      screenshots: this.view.screenshots,
      signal: options.signal,
      advise: options.advise,
      ...(options.onOver && { onOver: options.onOver }),
    });
  }

  /** Simulated readings cost less than pixels, but only training may depend on what the page says of itself. */
  #aids({ kind }: AnyFamily, split: Split, purpose: string): PageAids {
    if (!this.view.reads || split !== 'train' || kind !== undefined) return {};
    return { reading: 'simulated', targets: labelled.has(purpose) };
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.learner.close(), this.#parts.leases.close()]);
    try {
      await this.lake.close();
    } finally {
      await this.lock.release();
    }
  }
}

type LearnerOptions = Parameters<typeof Workspace.open>[0];

function learnerOf({ served, ...options }: LearnerOptions, lake: Lake): Promise<Learner> {
  const { seed, threads, optimiser, average, screenReader, architecture = architectures.nano } = options;
  if (served) return ServedLearner.open(served, { lake, seed, folder: options.dir });
  const reader = new LazyReader({ reader: screenReader });
  const { screenshots = 1 } = options;
  return NativeLearner.start({ architecture, reader, screenshots, seed, threads, optimiser, average });
}
