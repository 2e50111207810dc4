import { type EpisodeCounts, type Job, type Oracle, type Policy, runEpisodes } from '@gyre/agent';
import type { Lake, ObjectStore } from '@gyre/lake';
import { type Episode, GyreError, type RolloutJob } from '@gyre/protocol';
import type { Machines } from '@gyre/sandbox';
import { familyOf, openTask } from '@gyre/tasks';
import { unplayableReason } from '../evaluation/rollouts.js';

/** A job that this worker holds; see `TakenJob` of `@gyre/fleet`. */
export interface HeldJob {
  readonly id: string;
  readonly job: RolloutJob;
  /** Announces that the episode is durable, and acknowledges. */
  stored(worker: string): Promise<void>;
  /** Reports an infrastructure fault: the job is delivered again, to this worker or another one. */
  failed(reason: string): Promise<boolean>;
  /** Reports a job that nobody can play. */
  giveUp(reason: string): Promise<void>;
  /** Hands it back unplayed. */
  release(): Promise<void>;
}

export interface WorkerOptions {
  readonly name: string;
  /** Ends when the worker drains. */
  readonly jobs: AsyncIterable<HeldJob>;
  readonly policy: Policy | Oracle;
  readonly screenshots: number;
  readonly blind?: boolean | undefined;
  /** Brings the policy to a version of the weights, before the job's episode. Throws `infra`. */
  readonly refresh?: ((version: number) => Promise<void>) | undefined;
  /** Of this worker alone. */
  readonly lake: Lake;
  /** Where the episodes of all workers go. */
  readonly store: ObjectStore;
  readonly pool: Pick<Machines, 'lease'>;
  readonly concurrency: number;
  /** Cuts the episodes under way; their jobs go back. */
  readonly signal: AbortSignal;
  readonly onJob?: (event: WorkerEvent) => void;
}

export interface WorkerEvent {
  readonly id: string;
  readonly task: string;
  /** `known`: an earlier delivery stored the episode. */
  readonly state: 'playing' | 'stored' | 'known' | 'retried' | 'given_up' | 'released';
  readonly success?: boolean | undefined;
  readonly message?: string;
}

/**
 * Plays jobs until they end, and acknowledges each once its episode is in the store. An infrastructure fault is never a
 * scored episode: the job is delivered again. Returns counts once nothing is under way.
 *
 * @throws GyreError 'infra' as `runEpisodes`
 */
export async function playJobs(options: WorkerOptions): Promise<Readonly<EpisodeCounts>> {
  const worker = new RolloutWorker(options);
  return worker.play();
}

class RolloutWorker {
  readonly #options: WorkerOptions;
  readonly #held = new Map<Job, HeldJob>();
  readonly #faults = new Map<Job, string>();
  readonly #ends = new Set<Promise<void>>();
  #pushing: Promise<void> = Promise.resolve();
  #nextPush: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  async play(): Promise<Readonly<EpisodeCounts>> {
    const { policy, screenshots, blind = false, lake, pool, concurrency, signal } = this.#options;
    const running = runEpisodes({
      ...{ policy, screenshots, pictures: !blind, lake, pool, concurrency, signal },
      jobs: this.#jobs(),
      // JetStream counts the deliveries.
      retries: 0,
      onFailure: (fault, job) => this.#faults.set(job, fault.message),
      onOver: (job, episode) => this.#later(this.#onOver(job, episode)),
    });
    try {
      while (!(await running.next()).done);
    } finally {
      await Promise.all(this.#ends);
      await Promise.allSettled([...this.#held.values()].map((held) => this.#release(held)));
    }
    return running.counts;
  }

  async *#jobs(): AsyncGenerator<Job> {
    for await (const held of this.#options.jobs) {
      const job = await this.#opened(held);
      if (!job) continue;
      this.#held.set(job, held);
      this.#tell(held, { state: 'playing' });
      yield job;
    }
  }

  /** Returns undefined for a job that has ended here: known, unplayable, or without its weights. */
  async #opened(held: HeldJob): Promise<Job | undefined> {
    const { job, id } = held;
    try {
      const instance = instanceOf(job, 'solve' in this.#options.policy);
      const known = await this.#known(id);
      if (known) {
        await this.#end(held, known, 'known');
        return undefined;
      }
      if (job.policy.kind === 'weights') await this.#options.refresh?.(job.policy.version);
      const family = familyOf(job.family);
      const open = (machines: Machines) => openTask(instance, machines, family);
      return { id, task: instance.task, open, purpose: job.purpose, seed: job.sampleSeed };
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      if (error.code === 'bad_input') {
        await held.giveUp(error.message);
        this.#tell(held, { state: 'given_up', message: error.message });
      } else await this.#failed(held, error.message);
      return undefined;
    }
  }

  /** Returns the episode that an earlier delivery to this worker's lake left, if it has a verdict. */
  async #known(id: string): Promise<Episode | undefined> {
    for await (const episode of this.#options.lake.episodes({ ids: [id] })) if (episode.verdict) return episode;
    return undefined;
  }

  async #onOver(job: Job, episode: Episode | undefined): Promise<void> {
    const held = this.#held.get(job);
    if (!held) return;
    this.#held.delete(job);
    const fault = this.#faults.get(job) ?? 'a person stopped it';
    this.#faults.delete(job);
    if (episode?.verdict) await this.#end(held, episode, 'stored');
    else await this.#failed(held, fault);
  }

  /** Pushes before it acknowledges. */
  async #end(held: HeldJob, episode: Episode, state: 'stored' | 'known'): Promise<void> {
    try {
      await this.#pushed();
      await held.stored(this.#options.name);
      this.#tell(held, { state, success: episode.verdict?.success });
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      // The next delivery finds the episode in this lake, or plays it elsewhere with the same id.
      await this.#failed(held, error.message);
    }
  }

  async #failed(held: HeldJob, message: string): Promise<void> {
    const isLast = await held.failed(message).catch(() => false);
    this.#tell(held, { state: isLast ? 'given_up' : 'retried', message });
  }

  async #release(held: HeldJob): Promise<void> {
    await held.release();
    this.#tell(held, { state: 'released' });
  }

  /** Episodes that end during a push share the next one. */
  #pushed(): Promise<void> {
    this.#nextPush ??= this.#pushing.then(() => {
      this.#nextPush = undefined;
      const push = this.#options.lake.push(this.#options.store);
      this.#pushing = push.then(
        () => undefined,
        () => undefined,
      );
      return push.then(() => undefined);
    });
    return this.#nextPush;
  }

  #later(work: Promise<void>): void {
    this.#ends.add(work);
    void work.then(
      () => this.#ends.delete(work),
      () => undefined,
    );
  }

  #tell({ id, job }: HeldJob, event: Omit<WorkerEvent, 'id' | 'task'>): void {
    this.#options.onJob?.({ id, task: `${job.family}/${job.split}/${job.seed}`, ...event });
  }
}

/** Throws `bad_input` for a task that no worker can open, `missing` for one that this machine cannot. */
function instanceOf({ family: name, split, seed, size }: RolloutJob, byOracle: boolean) {
  const family = familyOf(name);
  const reason = unplayableReason(family, byOracle);
  if (reason !== undefined) {
    throw new GyreError(family.missing?.().length ? 'missing' : 'bad_input', `${name} cannot be played: ${reason}`, {
      field: 'family',
      fix: 'publish jobs of other families, or install what is missing on the workers',
    });
  }
  return family.create(split, seed, size);
}
