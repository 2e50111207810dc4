import { once, setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Environment, type Episode, GyreError, type Task } from '@gyre/protocol';
import type { Machines, Session, SessionNeeds } from '@gyre/sandbox';
import { sessionSdk } from '../tools/sdk.js';
import type { SearchService } from '../tools/searchService.js';
import { untilAborted } from './abort.js';
import { type EpisodeOptions, isInfra, runEpisode } from './episode.js';
import { KeptSession } from './keptSession.js';

/** One episode to play. The seed belongs to the job, so that it does not matter which session plays it, or when. */
export interface Job extends Pick<EpisodeOptions, 'purpose' | 'seed' | 'fork'> {
  readonly task: Task;
  /** Opens the task on machines that the run provides. Called once for each attempt. */
  readonly open: (machines: Machines) => Environment;
  /** Adds the surface `search` to the task. Default: the agent cannot search. */
  readonly search?: SearchService | undefined;
  /** Plays this job instead of the policy of the run: a fork has its own. */
  readonly policy?: EpisodeOptions['policy'];
}

export interface EpisodesOptions extends Pick<
  EpisodeOptions,
  'policy' | 'lake' | 'screenshots' | 'signal' | 'now' | 'decisionMs' | 'episodeMs'
> {
  readonly pool: Pick<Machines, 'lease'>;
  /** Read one at a time, each when a worker is free. */
  readonly jobs: Iterable<Job> | AsyncIterable<Job>;
  /**
   * False takes no pictures of pages and desktops, for policies that do not look: screenshots have no bytes. A lake always gets pictures.
   * Default true.
   */
  readonly pictures?: boolean | undefined;
  /** Episodes, and sessions, at once. */
  readonly concurrency: number;
  /**
   * How often a job starts again after an infrastructure error, each time in a new session, and how often a policy is asked again for a
   * decision. A job whose policy failed does not start again: a policy could fail when it is about to lose. Default 1.
   */
  readonly retries?: number;
  /** Receives every episode as it ends, also those that were cut or lost to the infrastructure. */
  readonly onEpisode?: (episode: Episode, job: Job) => void;
  /** Receives every finished job with its episode, or without one where it was given up. Cut jobs are left out. */
  readonly onOver?: (job: Job, episode?: Episode) => void;
  /** Receives every infrastructure fault: those that ended an attempt, and those after which its episode continued. */
  readonly onFailure?: (failure: GyreError, job: Job) => void;
}

/** A job without a verdict: the infrastructure or the policy failed on every try. It counts as a failure. */
export interface GivenUp {
  readonly task: Task;
  readonly seed: number;
  readonly message: string;
}

/** Episodes by how they ended. */
export interface EpisodeCounts {
  finished: number;
  /** Includes `stuck`. */
  outOfBudget: number;
  /** The agent's own actions broke its page or machine. They have a verdict of failure. */
  agentFaults: number;
  /** Infrastructure faults, also before an episode's first screenshot. */
  infraErrors: number;
  /** The infrastructure faults after which the episode continued, or its job started again. */
  retried: number;
  /** Ended by the signal, by a consumer that stopped, or by an error elsewhere in the run. */
  cut: number;
}

/** After so many failed attempts in a row, per concurrent episode, nothing can be played on this machine or with this policy's server. */
const hopeless = 10;

/** Episodes in the order in which they end, with the counts so far, which are the return value too. */
export type Episodes = AsyncGenerator<Episode, EpisodeCounts, void> & {
  readonly counts: Readonly<EpisodeCounts>;
  /** Every task that was given up so far. Success rates count them as failures. */
  readonly givenUp: readonly GivenUp[];
};

/**
 * Plays many episodes at once. Pages are leased from `pool` and reused by the next episode of the same screen size. Work begins with the
 * first `next()`.
 *
 * Yields the episodes that have a verdict. An `infra_error` is in the lake and in the counts, but never yielded, so that it is not mistaken
 * for a reward of 0. Tasks without a verdict are in `givenUp`. While a consumer is busy, about `concurrency` episodes wait to be read.
 *
 * Ends when the jobs do, when `signal` is aborted, or when the consumer stops: episodes in progress are then closed as `cut`. Every session
 * is released in each case.
 *
 * @throws GyreError 'bad_input' if `concurrency` is not a positive integer.
 * @throws GyreError 'infra' if 10 times `concurrency` attempts in a row failed.
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
  const counts: EpisodeCounts = {
    ...{ finished: 0, outOfBudget: 0, agentFaults: 0, infraErrors: 0, retried: 0, cut: 0 },
  };
  const givenUp: GivenUp[] = [];
  return Object.assign(stream(options, counts, givenUp), { counts, givenUp });
}

async function* stream(
  options: EpisodesOptions,
  counts: EpisodeCounts,
  givenUp: GivenUp[],
): AsyncGenerator<Episode, EpisodeCounts, void> {
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
      part: failure?.detail.part ?? 'machine',
      fix: 'see that browsers start here and that the policy answers; `gyre doctor` checks this machine',
      cause: failure,
    });
  };

  let failure: { error: unknown } | undefined;
  const workers = Array.from({ length: concurrency }, () =>
    work(options, next, deliver, onAttempt, { counts, givenUp }, stop.signal).catch((error: unknown) => {
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

/** Plays jobs one after another, in one session at a time. */
async function work(
  options: EpisodesOptions,
  next: () => Promise<IteratorResult<Job>>,
  deliver: (episode: Episode) => Promise<void>,
  onAttempt: (failure: GyreError | undefined) => void,
  { counts, givenUp }: { counts: EpisodeCounts; givenUp: GivenUp[] },
  signal: AbortSignal,
): Promise<void> {
  const { policy, lake, screenshots, now, decisionMs, episodeMs, retries = 1, onEpisode } = options;
  const kept = new KeptSession({ lease: (needs) => leaseUnlessAborted(options, needs, signal) });

  /** Makes one attempt at a job. Returns its episode, or why none had begun. */
  const attempt = async (job: Job, alone: boolean): Promise<Episode | GyreError> => {
    kept.alone = alone;
    kept.sdk = sessionSdk(job.search);
    const onRetry = (fault: GyreError): void => {
      counts.infraErrors++;
      counts.retried++;
      options.onFailure?.(fault, job);
    };
    const environment = job.open(kept);
    try {
      const limits = { decisionMs, episodeMs, retries };
      const run = { policy: job.policy ?? policy, lake, screenshots, signal, now };
      const episode = await runEpisode({ ...job, ...limits, ...run, environment, reproduce: true, onRetry });
      await environment.close().catch(() => undefined);
      // A page that the agent has broken is of no more use.
      if (episode.end.state === 'agent_fault') await kept.close().catch(() => undefined);
      onEpisode?.(episode, job);
      return episode;
    } catch (error) {
      if (!isInfra(error)) throw error;
      return error;
    } finally {
      await environment.close().catch(() => undefined);
    }
  };

  try {
    while (!signal.aborted) {
      const item = await untilAborted(next(), signal);
      if (item === undefined || item.done) return;
      const job = item.value;
      for (let tries = 0; ; tries++) {
        // A neighbour that breaks the browser does not break it twice.
        const outcome = await attempt(job, tries > 0);
        const failure = failureOf(outcome);
        if (failure === undefined) {
          const episode = outcome as Episode;
          onAttempt(undefined);
          count(counts, episode);
          if (episode.end.state === 'cut') break;
          options.onOver?.(job, episode);
          await deliver(episode);
          break;
        }
        // Stopping the run causes failures.
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a signal may abort while this waits
        if (signal.aborted) return;
        counts.infraErrors++;
        options.onFailure?.(failure, job);
        onAttempt(failure);
        await kept.close().catch(() => undefined); // A broken session cannot be given back whole.
        if (tries < retries && mayStartAgain(outcome)) {
          counts.retried++;
          continue;
        }
        givenUp.push({ task: job.task, seed: job.seed, message: failure.message });
        options.onOver?.(job);
        break;
      }
    }
  } finally {
    await kept.close().catch((error: unknown) => {
      if (!isInfra(error)) throw error;
    });
  }
}

/** Returns why an attempt has no verdict; undefined where it has one, or was cut. */
function failureOf(outcome: Episode | GyreError): GyreError | undefined {
  if (outcome instanceof GyreError) return outcome;
  if (outcome.end.state !== 'infra_error') return undefined;
  const { message, part } = outcome.end;
  return new GyreError('infra', message, { part: part ?? 'machine' });
}

/** Tells whether a job may start again. After a failure of its policy it may not: that would be a second chance. */
function mayStartAgain(outcome: Episode | GyreError): boolean {
  if (outcome instanceof GyreError || outcome.end.state !== 'infra_error') return true;
  const { part } = outcome.end;
  return part !== 'policy' && part !== 'model_server';
}

function count(counts: EpisodeCounts, { end: { state } }: Episode): void {
  if (state === 'cut') counts.cut++;
  else if (state === 'finished') counts.finished++;
  else if (state === 'agent_fault') counts.agentFaults++;
  else counts.outOfBudget++;
}

async function leaseUnlessAborted(
  { pool, lake, pictures = true }: EpisodesOptions,
  needs: SessionNeeds,
  signal: AbortSignal,
): Promise<Session> {
  const lease = pool.lease({ ...needs, pictures: pictures || lake !== undefined });
  const session = await untilAborted(lease, signal);
  if (session) return session;
  void lease.then((late) => late.release()).catch(() => undefined);
  throw new GyreError('infra', 'the run was stopped', { part: 'lease' });
}
