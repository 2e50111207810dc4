import { join } from 'node:path';
import {
  type Episodes,
  type EpisodesOptions,
  type GivenUp,
  type Job,
  type Oracle,
  type Policy,
  TaskSessions,
  enginePolicy,
  type EnginePolicyOptions,
  oraclePolicy,
  readingOracle,
  runEpisodes,
} from '@gyre/agent';
import { type NativeArchitecture, EngineThread, Random, architectures, hasReader } from '@gyre/engine';
import { FolderLock, Lake } from '@gyre/lake';
import type { Environment, Episode, Size, Split } from '@gyre/protocol';
import { LazyReader } from '@gyre/reader';
import type { BrowserPool, Machines } from '@gyre/sandbox';
import { type AnyFamily, type AnyInstance, type PageAids, familyOf, openTask } from '@gyre/tasks';
import type { DecisionView } from '../rollouts/dataset.js';
import { SlowEnvironment } from '../rollouts/latency.js';

export const lakeOf = (dir: string): string => join(dir, 'lake');

interface WorkspaceParts {
  readonly dir: string;
  readonly lock: FolderLock;
  readonly lake: Lake;
  readonly leases: TaskSessions;
  readonly pool: BrowserPool;
  readonly engine: EngineThread;
  readonly architecture: NativeArchitecture;
  /** Parallel episodes. */
  readonly sessions: number;
  /** Maximum in a decision's context. */
  readonly screenshots: number;
  readonly threads: number;
  readonly seed: number;
  /** Mean artificial latency in s. */
  readonly latency: number;
  /** In px; undefined for the family's. */
  readonly screen: Size | undefined;
  readonly reader: LazyReader;
}

/** Their turns become labels, so the elements that they hit are recorded. */
const labelled: ReadonlySet<string> = new Set(['demonstration', 'advised']);

/** A training run's folder and machines: lake, lock, engine thread and browsers. */
export class Workspace {
  readonly #parts: WorkspaceParts;
  readonly dir: string;
  readonly lock: FolderLock;
  readonly lake: Lake;
  readonly pool: BrowserPool;
  readonly engine: EngineThread;
  readonly architecture: NativeArchitecture;
  readonly sessions: number;
  readonly screenshots: number;
  /** Reads pixels for a policy with a reader. Opened on first use. */
  readonly reader: LazyReader;

  private constructor(parts: WorkspaceParts) {
    this.#parts = parts;
    this.dir = parts.dir;
    this.lock = parts.lock;
    this.lake = parts.lake;
    this.pool = parts.pool;
    this.engine = parts.engine;
    this.architecture = parts.architecture;
    this.sessions = parts.sessions;
    this.screenshots = parts.screenshots;
    this.reader = parts.reader;
  }

  /**
   * Opens and locks the folder, to whose lake others may still write.
   * @throws GyreError `held` if another process has the folder; `storage`
   */
  static async open(options: {
    dir: string;
    seed: number;
    threads: number;
    browsers: number;
    sessions: number;
    /** Default 1; cost is proportional. */
    screenshots?: number;
    architecture?: NativeArchitecture;
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
  }): Promise<Workspace> {
    const {
      dir,
      seed,
      threads,
      browsers,
      sessions,
      screenshots = 1,
      architecture = architectures.nano,
      optimiser,
      average,
      latency = 0,
      screen,
      screenReader,
    } = options;
    const lock = await FolderLock.take(dir);
    const lake = await Lake.open(lakeOf(dir)).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
    const sessionsPerBrowser = Math.ceil((sessions + 1) / browsers);
    // Tasks have no animation: one frame shows an action's effect.
    const leases = new TaskSessions({ browsers, sessionsPerBrowser, stepMs: 1000 / 60 });
    const [pool, engine] = await Promise.all([
      leases.pages(),
      EngineThread.start({ architecture, seed, threads, optimiser, average }),
    ]).catch(async (error: unknown) => {
      await Promise.allSettled([leases.close(), lake.close()]);
      await lock.release();
      throw error;
    });
    const machines = { lock, lake, leases, pool, engine };
    const settings = { dir, architecture, sessions, screenshots, threads, seed, latency, screen };
    return new Workspace({ ...machines, ...settings, reader: new LazyReader({ reader: screenReader }) });
  }

  /** How the policy sees an episode. */
  get view(): DecisionView {
    return { screenshots: this.screenshots, reads: hasReader(this.architecture) };
  }

  /** Plays with the workspace's engine, or with another one of the same architecture. */
  policy(options: Partial<Omit<EnginePolicyOptions, 'architecture' | 'reader'>> = {}): Policy {
    const { architecture, engine, reader } = this;
    return enginePolicy({ name: 'nano', engine, architecture, reader, ...options });
  }

  /** Plays scripted solutions from which the policy can learn. */
  get oracle(): Oracle {
    return this.view.reads ? readingOracle(oraclePolicy, this.reader) : oraclePolicy;
  }

  /** Returns how many of `count` rendered pages a step takes: a policy with a reader need not learn to read. */
  pages(count: number): number {
    return this.view.reads ? 0 : count;
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  /** @throws GyreError `held` if another process took the folder over; `storage` */
  async save(path: string, engine: EngineThread = this.engine): Promise<void> {
    await this.lock.expect();
    await engine.save(path);
  }

  async another(role: NativeArchitecture['role']): Promise<EngineThread> {
    const architecture: NativeArchitecture = { ...this.architecture, role };
    return EngineThread.start({ architecture, seed: this.#parts.seed, threads: this.#parts.threads });
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
      screenshots: this.screenshots,
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
    await Promise.allSettled([this.engine.close(), this.#parts.leases.close(), this.reader.close()]);
    try {
      await this.lake.close();
    } finally {
      await this.lock.release();
    }
  }
}
