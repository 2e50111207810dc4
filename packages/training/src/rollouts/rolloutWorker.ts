import { type EpisodeCounts, type Job, type Oracle, type Policy, runEpisodes } from '@gyre/agent';
import type { Lake, ObjectStore } from '@gyre/lake';
import { type Episode, GyreError, type RolloutJob } from '@gyre/protocol';
import type { Machines } from '@gyre/sandbox';
import { familyOf, openTask, type PageAids } from '@gyre/tasks';
import { unplayableReason } from '../evaluation/rollouts.js';
import { SharedCall } from './sharedCall.js';

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
  /** Leaves it to a newer delivery of the same job. */
  drop(): void;
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
  /** Gives a page's own reading to policies that read, as training on one machine does. */
  readonly aids?: ((job: RolloutJob) => PageAids) | undefined;
  /** Private to this worker. */
  readonly lake: Lake;
  /** Collects the episodes of all workers. */
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
  readonly #playing = new Map<string, Job>();
  readonly #faults = new Map<Job, string>();
  readonly #ends = new Set<Promise<void>>();
  readonly #push: SharedCall;

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { lake, store } = options;
    this.#push = new SharedCall(async () => {
      const [damage] = (await lake.push(store)).damaged;
      if (!damage) return;
      const detail = { field: damage.file, fix: 'run `gyre lake check --repair` on the directory of this worker' };
      throw new GyreError('corrupt', `${damage.file} was not copied: ${damage.reason}`, detail);
    });
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
      await Promise.allSettled([...this.#held.values()].map((taken) => this.#release(taken)));
    }
    return running.counts;
  }

  async *#jobs(): AsyncGenerator<Job> {
    for await (const taken of this.#options.jobs) {
      const playing = this.#playing.get(taken.id);
      if (playing) {
        // JetStream missed this worker's signs of life, and delivered it the job again.
        this.#held.get(playing)?.drop();
        this.#held.set(playing, taken);
        continue;
      }
      const job = await this.#opened(taken);
      if (!job) continue;
      this.#playing.set(taken.id, job);
      this.#held.set(job, taken);
      this.#tell(taken, { state: 'playing' });
      yield job;
    }
  }

  /** Returns undefined for a job that has ended here: known, unplayable, or without its weights. */
  async #opened(taken: HeldJob): Promise<Job | undefined> {
    const { job, id } = taken;
    try {
      const instance = instanceOf(job, 'solve' in this.#options.policy);
      const known = await this.#known(id);
      if (known) {
        await this.#end(taken, known, 'known');
        return undefined;
      }
      if (job.policy.kind === 'weights') await this.#options.refresh?.(job.policy.version);
      const family = familyOf(job.family);
      const open = (machines: Machines) => openTask(instance, machines, family, this.#options.aids?.(job) ?? {});
      return { id, task: instance.task, open, purpose: job.purpose, seed: job.sampleSeed };
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      if (error.code === 'bad_input') {
        await taken.giveUp(error.message);
        this.#tell(taken, { state: 'given_up', message: error.message });
      } else await this.#failed(taken, error.message);
      return undefined;
    }
  }

  /** Returns the episode that an earlier delivery to this worker's lake left, if it has a verdict. */
  async #known(id: string): Promise<Episode | undefined> {
    for await (const episode of this.#options.lake.episodes({ ids: [id] })) if (episode.verdict) return episode;
    return undefined;
  }

  async #onOver(job: Job, episode: Episode | undefined): Promise<void> {
    const taken = this.#held.get(job);
    if (!taken) return;
    this.#held.delete(job);
    const fault = this.#faults.get(job) ?? 'a person stopped it';
    this.#faults.delete(job);
    this.#playing.delete(taken.id);
    if (episode?.verdict) await this.#end(taken, episode, 'stored');
    else await this.#failed(taken, fault);
  }

  /** Pushes before it acknowledges. */
  async #end(taken: HeldJob, episode: Episode, state: 'stored' | 'known'): Promise<void> {
    try {
      await this.#push.run();
      await taken.stored(this.#options.name);
      this.#tell(taken, { state, success: episode.verdict?.success });
    } catch (error) {
      if (!(error instanceof GyreError)) throw error;
      // The next delivery finds the episode in this lake, or plays it elsewhere with the same id.
      await this.#failed(taken, error.message);
    }
  }

  async #failed(taken: HeldJob, message: string): Promise<void> {
    const isLast = await taken.failed(message).catch(() => false);
    this.#tell(taken, { state: isLast ? 'given_up' : 'retried', message });
  }

  async #release(taken: HeldJob): Promise<void> {
    await taken.release();
    this.#tell(taken, { state: 'released' });
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
