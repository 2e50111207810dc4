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
import { type Architecture, EngineThread, Random, architectures } from '@gyre/engine';
import { FolderLock, Lake } from '@gyre/lake';
import type { Episode, Size, Split } from '@gyre/protocol';
import type { BrowserPool, Session } from '@gyre/sandbox';
import { familyOf, startTask } from '@gyre/tasks';
import { slowed } from '../rollouts/latency.js';

/** Where the lake of a run is. */
export const lakeOf = (dir: string): string => join(dir, 'lake');

/** What a run works with: a folder with its lake and checkpoints, browsers, and an engine in its thread. */
export class Workspace {
  private constructor(
    readonly dir: string,
    /** That this process, and no other, may write to the folder. */
    readonly lock: FolderLock,
    readonly lake: Lake,
    /** Of pages. */
    readonly pool: BrowserPool,
    private readonly leases: TaskSessions,
    readonly engine: EngineThread,
    readonly architecture: Architecture,
    readonly sessions: number,
    /** Most screenshots in the context of a decision. */
    readonly screenshots: number,
    private readonly threads: number,
    private readonly seed: number,
    private readonly latency: number,
    private readonly screen: Size | undefined,
  ) {}

  /**
   * Opens the folder, which then is this process's alone; its lake may be written by others too.
   * @throws GyreError `held` where another process has it; `storage`.
   */
  static async open(options: {
    dir: string;
    seed: number;
    threads: number;
    browsers: number;
    sessions: number;
    /** Default 1: more cost as much again. */
    screenshots?: number;
    architecture?: Architecture;
    /** Of the tasks, in px, of families that have several. Default: the usual one of each. */
    screen?: Size | undefined;
    /** Mean seconds that each turn of a task takes beside what this machine does for it; see `slowed`. Default 0. */
    latency?: number;
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
    } = options;
    const lock = await FolderLock.take(dir);
    const lake = await Lake.open(lakeOf(dir)).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
    // One session more than episodes: perception data is rendered on it.
    const sessionsPerBrowser = Math.ceil((sessions + 1) / browsers);
    // The tasks have no animation: one frame shows what an action did.
    const leases = new TaskSessions({ browsers, sessionsPerBrowser, stepMs: 1000 / 60 });
    const [pool, engine] = await Promise.all([
      leases.pages(),
      EngineThread.start({ architecture, seed, threads }),
    ]).catch(async (error: unknown) => {
      await Promise.allSettled([leases.close(), lake.close()]);
      await lock.release();
      throw error;
    });
    return new Workspace(
      dir,
      lock,
      lake,
      pool,
      leases,
      engine,
      architecture,
      sessions,
      screenshots,
      threads,
      seed,
      latency,
      screen,
    );
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  /**
   * Saves weights in the folder.
   * @throws GyreError `held` where another process has taken the folder over; `storage`.
   */
  async save(path: string, engine: EngineThread = this.engine): Promise<void> {
    await this.lock.expect();
    await engine.save(path);
  }

  /** A critic, or another policy, in a thread of its own, of the policy's architecture. */
  async another(role: Architecture['role']): Promise<EngineThread> {
    const architecture: Architecture = { ...this.architecture, role };
    return EngineThread.start({ architecture, seed: this.seed, threads: this.threads });
  }

  /** Jobs for seeds `from` to `from + count` of a family, so many `attempts` at each, whose sampling differs. */
  *jobs(family: string, split: Split, from: number, count: number, purpose: string, attempts = 1): Generator<Job> {
    const source = familyOf(family);
    for (let seed = from; seed < from + count; seed++) {
      const instance = source.create(split, seed, this.screen);
      for (let attempt = 0; attempt < attempts; attempt++) {
        // Primes apart, so that neither neighbouring runs nor attempts share their randomness.
        const own = seed + this.seed * 1_000_003 + attempt * 32_452_843;
        const start = async (session: Session) => {
          const run = await startTask(session, instance);
          return this.latency > 0 ? slowed(run, this.latency, new Random(own).fork('latency')) : run;
        };
        yield { task: instance.task, start, purpose, seed: own, ...('kind' in source && { machine: source.kind }) };
      }
    }
  }

  /** Plays jobs with a policy, all at once as far as there are sessions. Every episode is in the lake. */
  async play(
    policy: Policy | Oracle,
    jobs: Iterable<Job>,
    options: { signal?: AbortSignal | undefined; onEpisode?: (episode: Episode) => void; sessions?: number } = {},
  ): Promise<{ episodes: Episode[]; givenUp: readonly GivenUp[]; infraErrors: number }> {
    const episodes: Episode[] = [];
    const run = this.playing(policy, jobs, options);
    for await (const episode of run) {
      episodes.push(episode);
      options.onEpisode?.(episode);
    }
    return { episodes, givenUp: run.givenUp, infraErrors: run.counts.infraErrors };
  }

  /** The same, one after the other as they are over. */
  playing(
    policy: Policy | Oracle,
    jobs: Iterable<Job> | AsyncIterable<Job>,
    options: Pick<EpisodesOptions, 'onOver' | 'signal'> & { sessions?: number } = {},
  ): Episodes {
    return runEpisodes({
      pool: this.leases,
      jobs,
      policy,
      concurrency: options.sessions ?? this.sessions,
      lake: this.lake,
      screenshots: this.screenshots,
      signal: options.signal,
      ...(options.onOver && { onOver: options.onOver }),
    });
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.engine.close(), this.leases.close()]);
    try {
      await this.lake.close();
    } finally {
      await this.lock.release();
    }
  }
}
