import type { Job } from '@gyre/agent';
import { type Episode, GyreError } from '@gyre/protocol';

export interface RolloutPoolOptions {
  play: (jobs: AsyncIterable<Job>, told: PlayOptions) => AsyncIterable<unknown>;
  /** Returns the next task's attempts; called when a session is free. */
  next: () => readonly Job[];
  expected: (job: Job) => number;
  /** Returns jobs to play before the task counts as over, such as continuations of the episode. Default: none. */
  followUps?: (job: Job, episode: Episode) => readonly Job[];
  /** Share of its decisions that count towards a batch, above 0. Default 1. */
  worth?: (attempts: readonly Episode[]) => number;
  /** In decisions. */
  batch: number;
  /**
   * Maximum updates between an episode's start and training on it, except one under way at the start. With 0, play
   * pauses during updates.
   */
  staleness: number;
}

export interface PlayOptions {
  onOver: (job: Job, episode?: Episode) => void;
  signal: AbortSignal;
}

interface Begun {
  /** Start order. */
  readonly place: number;
  /** Next batch at the start. */
  readonly round: number;
  readonly decisions: number;
  readonly episodes: (Episode | undefined)[];
  unfinished: number;
}

/**
 * Plays continuously while the trainer takes batches. Unfinished episodes continue under newer weights; attempts at a
 * task finish together.
 *
 * Throttling bounds staleness, so no episode is discarded: at most `staleness + 1` batches are under way (AReaL, arXiv
 * 2505.24298, section 5.1), and a batch waits for an episode that would be too old for the next one.
 */
export class RolloutPool {
  readonly #options: RolloutPoolOptions;

  readonly #running = new Set<Begun>();
  readonly #over: { place: number; round: number; decisions: number; episodes: readonly Episode[] }[] = [];
  readonly #attempts = new Map<Job, { begun: Begun; attempt: number }>();
  readonly #followUps: Job[] = [];
  #places = 0;
  #round = 0;
  #taking = false;
  #ended = false;
  #failure: { error: unknown } | undefined;
  readonly #waiting = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #driven: Promise<void>;

  /** @throws GyreError 'bad_input' unless `batch` is positive and `staleness` a whole number of 0 or more */
  constructor(options: RolloutPoolOptions) {
    this.#options = options;

    const { batch, staleness } = options;
    if (!(batch > 0))
      throw new GyreError('bad_input', `batch must be above 0, got ${batch}`, {
        field: 'batch',
        fix: 'use a positive number',
      });
    if (!Number.isInteger(staleness) || staleness < 0) {
      throw new GyreError('bad_input', `staleness must be a whole number of at least 0, got ${staleness}`, {
        field: 'staleness',
        fix: 'use 0 or more updates',
      });
    }
    const played = options.play(
      { [Symbol.asyncIterator]: () => this.#jobs() },
      { onOver: (job, episode) => this.#onOver(job, episode), signal: this.#stop.signal },
    );
    this.#driven = this.#drive(played);
  }

  /** Returns the next batch in start order; empty once play has ended. Later starts belong to the updated weights. */
  async take(): Promise<Episode[]> {
    this.#taking = true;
    this.#tell();
    await this.#until(() => this.#isReady() || this.#ended);
    this.#taking = false;
    if (this.#failure) throw this.#failure.error;
    const { batch, staleness } = this.#options;
    this.#over.sort((a, b) => a.place - b.place);
    const taken: Episode[] = [];
    let decisions = 0;
    const remaining = this.#over.filter((begun) => {
      const last = begun.round <= this.#round - staleness;
      if (!last && decisions >= batch) return true;
      decisions += begun.decisions;
      taken.push(...begun.episodes);
      return false;
    });
    this.#over.splice(0, this.#over.length, ...remaining);
    this.#round++;
    this.#tell();
    return taken;
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#stop.abort();
    this.#tell();
    await this.#driven;
  }

  async #drive(played: AsyncIterable<unknown>): Promise<void> {
    try {
      // `onOver` reports episodes; this loop only drives the iterator.
      const episodes = played[Symbol.asyncIterator]();
      while (!(await episodes.next()).done);
    } catch (error) {
      this.#failure = { error };
    }
    this.#ended = true;
    this.#tell();
  }

  #onOver(job: Job, episode: Episode | undefined): void {
    const started = this.#attempts.get(job);
    if (!started) return;
    this.#attempts.delete(job);
    const { begun, attempt } = started;
    begun.episodes[attempt] = episode;
    begun.unfinished--;
    for (const followUp of (episode && this.#options.followUps?.(job, episode)) ?? []) {
      this.#attempts.set(followUp, { begun, attempt: begun.episodes.push(undefined) - 1 });
      this.#followUps.push(followUp);
      begun.unfinished++;
    }
    if (begun.unfinished > 0) return this.#tell();
    this.#running.delete(begun);
    const episodes = begun.episodes.filter((one) => one !== undefined);
    const worth = this.#options.worth?.(episodes) ?? 1;
    if (episodes.length > 0) this.#over.push({ ...begun, decisions: begun.decisions * worth, episodes });
    this.#tell();
  }

  async *#jobs(): AsyncGenerator<Job> {
    for (;;) {
      await this.#until(() => this.#followUps.length > 0 || this.#mayBegin() || this.#ended);
      if (this.#ended) return;
      const followUp = this.#followUps.shift();
      if (followUp) {
        yield followUp;
        continue;
      }
      const attempts = this.#options.next();
      const decisions = attempts.reduce((sum, job) => sum + this.#options.expected(job), 0);
      const episodes = attempts.map(() => undefined);
      const begun: Begun = {
        place: this.#places++,
        round: this.#round,
        decisions,
        episodes,
        unfinished: attempts.length,
      };
      this.#running.add(begun);
      for (const [attempt, job] of attempts.entries()) this.#attempts.set(job, { begun, attempt });
      yield* attempts;
    }
  }

  #mayBegin(): boolean {
    const { batch, staleness } = this.#options;
    if (staleness === 0 && !this.#taking) return false;
    return decisionsOf(this.#running) + decisionsOf(this.#over) < batch * (staleness + 1);
  }

  #isReady(): boolean {
    const { batch, staleness } = this.#options;
    if (decisionsOf(this.#over) < batch) return false;
    for (const { round } of this.#running) if (round <= this.#round - staleness) return false;
    return true;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #tell(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

function decisionsOf(tasks: Iterable<Pick<Begun, 'decisions'>>): number {
  let sum = 0;
  for (const { decisions } of tasks) sum += decisions;
  return sum;
}
