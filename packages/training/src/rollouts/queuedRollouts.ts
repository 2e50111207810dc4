import { type EpisodeCounts, type Job, untilAborted } from '@gyre/agent';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lake, ObjectStore } from '@gyre/lake';
import { type Episode, GyreError, type JobResult, type RolloutJob, type Size } from '@gyre/protocol';
import { SharedCall } from './sharedCall.js';
import { announceWeights, type WeightsBoard } from './weightsExchange.js';

/** A queue of jobs; see `RolloutQueue` of `@gyre/fleet`. */
export interface JobBoard extends WeightsBoard {
  /** @param again publishes it although NATS may remember it */
  publish(job: RolloutJob, again?: boolean): Promise<string>;
  /** Returns whether no job of a policy waits or is played. */
  isDrained(policy: RolloutJob['policy']): Promise<boolean>;
  result(id: string): Promise<JobResult | undefined>;
  onResult(hear: (id: string) => void): () => void;
  purge(policy: RolloutJob['policy']): Promise<void>;
}

export interface QueuedRolloutsOptions {
  readonly queue: JobBoard;
  readonly store: ObjectStore;
  /** Into which the workers' episodes are copied. */
  readonly lake: Lake;
  /** Writes the weights under training to a file, and returns its path. */
  readonly save: () => Promise<string>;
  readonly run: string;
  /** Jobs that wait or are played at once. */
  readonly concurrency: number;
  /** In px. Default: the family's. */
  readonly screen?: Size | undefined;
}

/** Plays jobs, and reports each in `onOver`: without its episode if it was given up. */
export type RolloutPlayer = (
  jobs: AsyncIterable<Job>,
  options: { readonly onOver: (job: Job, episode?: Episode) => void; readonly signal: AbortSignal },
) => AsyncIterable<unknown> & { readonly counts: Pick<EpisodeCounts, 'infraErrors'> };

/** Looks for results that were announced while NATS was away, and for lost jobs, in ms. */
const pollMs = 2_000;

/** Longest outage of NATS that a run waits out, in ms, and the time between two tries. */
const [patienceMs, retryMs] = [600_000, 1_000];

/** Jobs in a row that workers give up before the run does, times `concurrency`. */
const hopeless = 10;

/** Lets workers elsewhere play the rollouts of a trainer. */
export class QueuedRollouts {
  readonly #options: QueuedRolloutsOptions;
  readonly #pull: SharedCall;
  readonly #waiting = new Map<string, { readonly job: RolloutJob; readonly resolve: (result: JobResult) => void }>();
  readonly #attempts = new Map<string, number>();
  readonly #deaf: () => void;
  readonly #poll: NodeJS.Timeout;
  #version = 0;
  #lost = new Set<string>();

  constructor(options: QueuedRolloutsOptions) {
    this.#options = options;
    const { queue, lake, store } = options;
    this.#pull = new SharedCall(async () => {
      await lake.pull(store);
    });
    this.#deaf = queue.onResult((id) => void this.#look(id));
    this.#poll = setInterval(() => void this.#check(), pollMs);
  }

  /** Announces the weights under training. Jobs published from now on need this version. */
  async announce(signal?: AbortSignal): Promise<void> {
    const { queue, store, save } = this.#options;
    const path = await save();
    this.#version = await waitedOut(() => announceWeights(queue, store, path), signal);
  }

  readonly play: RolloutPlayer = (jobs, { onOver, signal }) => {
    const counts = { infraErrors: 0 };
    return Object.assign(this.#played(jobs, onOver, counts, signal), { counts });
  };

  /** Drops the jobs that nobody has taken. */
  async close(): Promise<void> {
    clearInterval(this.#poll);
    this.#deaf();
    await this.#options.queue.purge({ kind: 'weights', version: this.#version }).catch(() => undefined);
  }

  async *#played(
    jobs: AsyncIterable<Job>,
    onOver: (job: Job, episode?: Episode) => void,
    counts: { infraErrors: number },
    signal: AbortSignal,
  ): AsyncGenerator<never, void> {
    const { concurrency, queue } = this.#options;
    // A killed trainer left jobs, which this one publishes anew.
    await waitedOut(() => queue.purge({ kind: 'weights', version: this.#version }), signal);
    const source = jobs[Symbol.asyncIterator]();
    let givenUp = 0;
    const work = async (): Promise<void> => {
      while (!signal.aborted) {
        const item = await untilAborted(source.next(), signal);
        if (!item || item.done) return;
        const outcome = await this.#outcome(item.value, signal);
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a signal may abort while this waits
        if (signal.aborted) return;
        if (typeof outcome === 'string') {
          counts.infraErrors++;
          if (++givenUp >= hopeless * concurrency) throw nothingPlays(givenUp, outcome);
          onOver(item.value);
        } else {
          givenUp = 0;
          onOver(item.value, outcome);
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    yield* [];
  }

  /** Returns the job's episode, or the reason why it has none. */
  async #outcome(job: Job, signal: AbortSignal): Promise<Episode | string> {
    const { queue, run, screen } = this.#options;
    const { task, purpose, seed: sampleSeed } = job;
    const { family, split, seed } = task;
    const attempt = this.#attempts.get(task.id) ?? 0;
    this.#attempts.set(task.id, attempt + 1);
    const policy = { kind: 'weights' as const, version: this.#version };
    const rollout = { run, family, split, seed, size: screen, attempt, sampleSeed, purpose, policy };
    // Published twice, it is queued once.
    const id = await waitedOut(() => queue.publish(rollout), signal);
    const result = await untilAborted(this.#result(id, rollout), signal);
    this.#waiting.delete(id);
    if (!result) return 'the run was stopped';
    if (result.state === 'given_up') return result.message;
    return this.#episode(id, job);
  }

  #result(id: string, job: RolloutJob): Promise<JobResult> {
    return new Promise((resolve) => {
      this.#waiting.set(id, { job, resolve });
      void this.#look(id);
    });
  }

  /** Publishes again what two checks in a row find neither in the queue nor with a result: NATS lost it with a server. */
  async #check(): Promise<void> {
    const { queue } = this.#options;
    const ids = [...this.#waiting.keys()];
    const isDrained = await queue.isDrained({ kind: 'weights', version: this.#version }).catch(() => false);
    await Promise.all(ids.map((id) => this.#look(id)));
    const lost = new Set(isDrained ? ids.filter((id) => this.#waiting.has(id)) : []);
    for (const id of lost) {
      const job = this.#lost.has(id) ? this.#waiting.get(id)?.job : undefined;
      if (job) await queue.publish(job, true).catch(() => undefined);
    }
    this.#lost = lost;
  }

  async #look(id: string): Promise<void> {
    const waiting = this.#waiting.get(id);
    // NATS may be away: the next poll looks again.
    const result = waiting && (await this.#options.queue.result(id).catch(() => undefined));
    if (result) waiting.resolve(result);
  }

  async #episode(id: string, { task, seed, purpose }: Job): Promise<Episode | string> {
    await this.#pull.run();
    for await (const episode of this.#options.lake.episodes({ ids: [id] })) {
      const isOfJob = episode.task.id === task.id && episode.seed === seed && episode.purpose === purpose;
      if (isOfJob && episode.verdict && task.split === 'train') return episode;
    }
    return `episode ${id} is not in the store with a verdict`;
  }
}

/** Repeats a call while NATS is away. Throws its last error, or once the run is stopped. */
async function waitedOut<Result>(call: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (const end = performance.now() + patienceMs; ;) {
    try {
      return await call();
    } catch (error) {
      const isAway = error instanceof GyreError && error.detail.part === 'network';
      if (!isAway || signal?.aborted || performance.now() > end) throw error;
      await delay(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function nothingPlays(count: number, message: string): GyreError {
  return new GyreError('infra', `workers gave up ${count} jobs in a row, the last with: ${message}`, {
    part: 'remote',
    fix: 'read the log of gyre worker; give trainer and workers the same --store',
  });
}
