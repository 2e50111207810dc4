import { join } from 'node:path';
import {
  type Episodes,
  type EpisodesOptions,
  type GivenUp,
  type Job,
  type Oracle,
  type Policy,
  TaskSessions,
  runEpisodes,
} from '@gyre/agent';
import { type NativeArchitecture, EngineThread, Random, architectures } from '@gyre/engine';
import { FolderLock, Lake } from '@gyre/lake';
import type { Episode, Size, Split } from '@gyre/protocol';
import type { BrowserPool, Machines } from '@gyre/sandbox';
import { type PageAids, familyOf, openTask } from '@gyre/tasks';
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
  readonly aids: PageAids | undefined;
}

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
    /** In px. Default: the family's. */
    screen?: Size | undefined;
    /** Mean artificial latency in s; see `SlowEnvironment`. Default 0. */
    latency?: number;
    /** For the tasks of the train split. Default: none. */
    aids?: PageAids | undefined;
  }): Promise<Workspace> {
    const {
      dir,
      seed,
      threads,
      browsers,
      sessions,
      screenshots = 1,
      architecture = architectures.nano,
      latency = 0,
      screen,
      aids,
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
      EngineThread.start({ architecture, seed, threads }),
    ]).catch(async (error: unknown) => {
      await Promise.allSettled([leases.close(), lake.close()]);
      await lock.release();
      throw error;
    });
    const machines = { lock, lake, leases, pool, engine };
    const settings = { dir, architecture, sessions, screenshots, threads, seed, latency, screen, aids };
    return new Workspace({ ...machines, ...settings });
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
    // Evaluations of the other splits read the pixels.
    const aids = split === 'train' ? this.#parts.aids : undefined;
    for (let seed = from; seed < from + count; seed++) {
      const instance = source.create(split, seed, screen);
      for (let attempt = 0; attempt < attempts; attempt++) {
        // Prime strides separate runs and attempts.
        const sampleSeed = seed + this.#parts.seed * 1_000_003 + attempt * 32_452_843;
        const open = (machines: Machines) => {
          const environment = openTask(instance, machines, source, aids);
          if (this.#parts.latency === 0) return environment;
          return new SlowEnvironment(environment, this.#parts.latency, new Random(sampleSeed).fork('latency'));
        };
        yield { task: instance.task, open, purpose, seed: sampleSeed };
      }
    }
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

  async close(): Promise<void> {
    await Promise.allSettled([this.engine.close(), this.#parts.leases.close()]);
    try {
      await this.lake.close();
    } finally {
      await this.lock.release();
    }
  }
}
