import { once, setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Episode, GyreError, type Size, type Task } from '@gyre/protocol';
import type { MachineKind, Session } from '@gyre/sandbox';
import { untilAborted } from './abort.js';
import { type EpisodeOptions, isInfra, runEpisode } from './episode.js';

/** One episode to play. The seed belongs to the job, so that it does not matter which session plays it, or when. */
export interface Job extends Pick<EpisodeOptions, 'task' | 'start' | 'purpose' | 'seed' | 'fork' | 'search'> {
  /** The kind of machine that it is played on, a fresh one, since it leaves files and programs behind. Absent: a page. */
  readonly machine?: MachineKind | undefined;
  /** What plays it, in the place of the policy of the run: a fork has its own. */
  readonly policy?: EpisodeOptions['policy'];
}

/** Where sessions are leased: a `BrowserPool`, where no job needs a machine. */
export interface SessionSource {
  lease(options: {
    readonly size: Size;
    readonly machine?: MachineKind | undefined;
    readonly pictures?: boolean | undefined;
  }): Promise<Session>;
}

export interface EpisodesOptions extends Pick<
  EpisodeOptions,
  'policy' | 'lake' | 'screenshots' | 'signal' | 'now' | 'decisionMs' | 'episodeMs'
> {
  readonly pool: SessionSource;
  /** Taken one at a time, each when a session is free for it. */
  readonly jobs: Iterable<Job> | AsyncIterable<Job>;
  /**
   * Without, no pictures are taken of pages and desktops: screenshots have no bytes, and turns name the one that has none. For policies that
   * do not look; where there is a lake, pictures are taken all the same. Default true.
   */
  readonly pictures?: boolean | undefined;
  /** The most episodes, and sessions, at once. */
  readonly concurrency: number;
  /** How often a job is tried again after an infrastructure error, each time in a new session. Default 1. */
  readonly retries?: number;
  /** Told of every episode as it ends, those that were cut or lost to the infrastructure included. */
  readonly onEpisode?: (episode: Episode, job: Job) => void;
  /** Told of every job once it is over: with its episode, or without one where it was given up. Not told of what was cut. */
  readonly onOver?: (job: Job, episode?: Episode) => void;
  /** Told of every attempt that the infrastructure ended, also where no episode had begun. */
  readonly onFailure?: (failure: GyreError, job: Job) => void;
}

/** How many episodes ended how. A job was given up where `infraErrors` exceeds `retried`. */
export interface EpisodeCounts {
  finished: number;
  outOfBudget: number;
  /** Attempts that the infrastructure ended, also before their first screenshot. */
  infraErrors: number;
  retried: number;
  /** Ended by the signal, by a consumer that stopped, or by an error elsewhere in the run. */
  cut: number;
}

/**
 * So many infrastructure errors in a row, per episode at once, with not one episode played between them, are no bad
 * luck: nothing can be played on this machine, or with this policy's server.
 */
const hopeless = 10;

/** Episodes in the order in which they end, with the counts so far; the counts are the return value too. */
export type Episodes = AsyncGenerator<Episode, EpisodeCounts, void> & { readonly counts: Readonly<EpisodeCounts> };

/**
 * Plays many episodes at once, over sessions leased from `pool` and kept from one episode to the next while the screen size
 * stays the same and no machine is needed. Work begins with the first `next()`.
 *
 * Yields the episodes that have a verdict: `finished` and `out_of_budget`. Those that ended as `infra_error` are in the
 * lake and in the counts, never in the yield, so that none of them is taken for a reward of 0. While a consumer is busy
 * the episodes go on, until about `concurrency` of them wait to be read.
 *
 * Ends when the jobs do, or when `signal` is aborted: episodes in progress are then closed as `cut`, and so they are
 * when the consumer stops early. Sessions stay leased until then, and every one is released in each case.
 *
 * @throws GyreError 'bad_input' if `concurrency` is not a positive integer.
 * @throws GyreError 'infra' if no attempt gets through any more: 10 times `concurrency` in a row failed.
 * @throws the first error of a policy, task, lake or pool that is not 'infra', after all other episodes were closed.
 */
export function runEpisodes(options: EpisodesOptions): Episodes {
  const { concurrency } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new GyreError('bad_input', `concurrency is ${concurrency}`, {
      field: 'concurrency',
      fix: 'give an integer of 1 or more',
    });
  }
  const counts: EpisodeCounts = { finished: 0, outOfBudget: 0, infraErrors: 0, retried: 0, cut: 0 };
  return Object.assign(stream(options, counts), { counts });
}

async function* stream(options: EpisodesOptions, counts: EpisodeCounts): AsyncGenerator<Episode, EpisodeCounts, void> {
  const { jobs, concurrency, signal } = options;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // Every worker listens.
  const forward = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener('abort', forward, { once: true });

  const source = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  const next = async (): Promise<IteratorResult<Job>> => source.next();
  const ended = new PassThrough({ objectMode: true, readableHighWaterMark: concurrency, writableHighWaterMark: 1 });
  ended.setMaxListeners(0); // Every worker may wait for room at once.
  const deliver = async (episode: Episode): Promise<void> => {
    if (ended.destroyed || ended.write(episode)) return;
    await untilAborted(once(ended, 'drain'), stop.signal);
  };

  let failuresInARow = 0;
  const onAttempt = (failure: GyreError | undefined): void => {
    failuresInARow = failure === undefined ? 0 : failuresInARow + 1;
    if (failuresInARow < hopeless * concurrency) return;
    throw new GyreError('infra', `${failuresInARow} attempts in a row failed, the last with: ${failure?.message}`, {
      fix: 'see that browsers start here and that the policy answers; `gyre doctor` checks this machine',
      cause: failure,
    });
  };

  let failure: { error: unknown } | undefined;
  const workers = Array.from({ length: concurrency }, () =>
    work(options, next, deliver, onAttempt, counts, stop.signal).catch((error: unknown) => {
      failure ??= { error };
      stop.abort(error);
    }),
  );
  const allDone = Promise.all(workers).then(() => {
    ended.end();
  });

  try {
    for await (const episode of ended) yield episode as Episode;
    if (failure !== undefined) throw failure.error;
    return counts;
  } finally {
    signal?.removeEventListener('abort', forward);
    stop.abort();
    await allDone;
    await source.return?.();
  }
}

/** Plays jobs one after the other in one session at a time, until there are no more. */
async function work(
  options: EpisodesOptions,
  next: () => Promise<IteratorResult<Job>>,
  deliver: (episode: Episode) => Promise<void>,
  onAttempt: (failure: GyreError | undefined) => void,
  counts: EpisodeCounts,
  signal: AbortSignal,
): Promise<void> {
  const { policy, lake, screenshots, now, decisionMs, episodeMs, retries = 1, onEpisode } = options;
  let session: Session | undefined;

  const release = async (): Promise<void> => {
    const held = session;
    session = undefined;
    await held?.release();
  };

  /** One attempt at a job: the episode, or why there is none; undefined if the run was stopped before it began. */
  const attempt = async (job: Job): Promise<Episode | GyreError | undefined> => {
    try {
      const fits = session !== undefined && job.machine === undefined && sameSize(session.screen.size, job.task.screen);
      if (!fits) await release();
      session ??= await leaseUnlessAborted(options, job, signal);
      if (session === undefined) return undefined;
      const limits = { decisionMs, episodeMs };
      const run = { policy: job.policy ?? policy, lake, screenshots, signal, now };
      const episode = await runEpisode({ ...job, ...limits, ...run, session });
      if (job.machine !== undefined) await release();
      onEpisode?.(episode, job);
      return episode.end.state === 'infra_error' ? new GyreError('infra', episode.end.message) : episode;
    } catch (error) {
      if (!isInfra(error)) throw error;
      return error;
    }
  };

  try {
    while (!signal.aborted) {
      const item = await untilAborted(next(), signal);
      if (item === undefined || item.done) return;
      for (let tries = 0; tries <= retries; tries++) {
        const outcome = await attempt(item.value);
        if (outcome !== undefined && !(outcome instanceof GyreError)) {
          onAttempt(undefined);
          if (outcome.end.state === 'cut') counts.cut++;
          else {
            counts[outcome.end.state === 'finished' ? 'finished' : 'outOfBudget']++;
            options.onOver?.(item.value, outcome);
            await deliver(outcome);
          }
          break;
        }
        // What fails while everything is being stopped failed because of that.
        if (outcome === undefined || signal.aborted) return;
        counts.infraErrors++;
        options.onFailure?.(outcome, item.value);
        onAttempt(outcome);
        await release().catch(() => undefined); // What broke is replaced; that it cannot be given back is no news.
        if (tries < retries) counts.retried++;
        else options.onOver?.(item.value);
      }
    }
  } finally {
    await release().catch((error: unknown) => {
      if (!isInfra(error)) throw error;
    });
  }
}

async function leaseUnlessAborted(
  { pool, lake, pictures = true }: EpisodesOptions,
  { task, machine }: Job,
  signal: AbortSignal,
): Promise<Session | undefined> {
  const lease = pool.lease({
    size: task.screen,
    pictures: pictures || lake !== undefined,
    ...(machine !== undefined && { machine }),
  });
  const session = await untilAborted(lease, signal);
  if (session === undefined) void lease.then((late) => late.release()).catch(() => undefined);
  return session;
}

function sameSize(a: Task['screen'], b: Task['screen']): boolean {
  return a.width === b.width && a.height === b.height;
}
