import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { type Environment, type Episode, GyreError, type Task } from '@gyre/protocol';
import type { Machines, Session, SessionNeeds } from '@gyre/sandbox';
import { sessionSdk } from '../tools/sdk.js';
import type { SearchService } from '../tools/searchService.js';
import { untilAborted } from './abort.js';
import { openControlSocket } from '../live/controlSocket.js';
import type { ControlDesk } from '../live/controlDesk.js';
import type { Lake } from '@gyre/lake';
import { type EpisodeOptions, isInfra, runEpisode } from './episode.js';
import { EpisodeControl } from './episodeControl.js';
import { KeptSession } from './keptSession.js';

/** Carries its seed, so that results do not depend on session or order. */
export interface Job extends Pick<EpisodeOptions, 'purpose' | 'seed' | 'fork' | 'id'> {
  readonly task: Task;
  /** Called once per attempt. */
  readonly open: (machines: Machines) => Environment;
  /** Default: none. */
  readonly search?: SearchService | undefined;
  /** Overrides the run's policy. */
  readonly policy?: EpisodeOptions['policy'];
}

export interface EpisodesOptions extends Pick<
  EpisodeOptions,
  'policy' | 'screenshots' | 'signal' | 'now' | 'decisionMs' | 'episodeMs' | 'advise'
> {
  /** People can watch and control the episodes that are played into a folder (see `openControlSocket`). */
  readonly lake?: (NonNullable<EpisodeOptions['lake']> & Partial<Pick<Lake, 'directory'>>) | undefined;
  readonly pool: Pick<Machines, 'lease'>;
  /** Pulled one at a time by free workers. */
  readonly jobs: Iterable<Job> | AsyncIterable<Job>;
  /** False skips screenshots for policies that ignore them, unless a lake needs them. Default true. */
  readonly pictures?: boolean | undefined;
  /** Parallel episodes and sessions. */
  readonly concurrency: number;
  /**
   * Restarts after an infrastructure error, and retries of a decision. Policy failures never restart a job: failing
   * would avoid losing. Default 1.
   */
  readonly retries?: number;
  /** Includes cut and failed episodes. */
  readonly onEpisode?: (episode: Episode, job: Job) => void;
  /** Omits jobs that the signal or the consumer cut; no episode if given up or stopped by a person. */
  readonly onOver?: (job: Job, episode?: Episode) => void;
  /** Called for fatal and survived faults. */
  readonly onFailure?: (failure: GyreError, job: Job) => void;
}

/** Counts as a failure. */
export interface GivenUp {
  readonly task: Task;
  readonly seed: number;
  readonly message: string;
}

export interface EpisodeCounts {
  finished: number;
  /** Includes `stuck`. */
  outOfBudget: number;
  /** Judged failures. */
  agentFaults: number;
  infraErrors: number;
  /** Survived faults and restarts. */
  retried: number;
  cut: number;
}

/** Consecutive failures per worker before giving up. */
const hopeless = 10;

/** Ordered by completion; returns the counts. */
export type Episodes = AsyncGenerator<Episode, EpisodeCounts, void> & {
  readonly counts: Readonly<EpisodeCounts>;
  /** Success rates count them as failures. */
  readonly givenUp: readonly GivenUp[];
};

/**
 * Plays many episodes in parallel. Starts with the first `next()`.
 *
 * Yields only episodes with a verdict, so that an `infra_error` is never taken for a reward of 0. About `concurrency`
 * results wait for a slow consumer. Ends with the jobs, the `signal` or the consumer, cutting open episodes and
 * releasing sessions.
 *
 * @throws GyreError 'bad_input' for an invalid `concurrency`; 'infra' after 10 times `concurrency` consecutive
 * failures.
 * @throws the first other error, after closing all episodes.
 */
export function runEpisodes(options: EpisodesOptions): Episodes {
  const { concurrency } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new GyreError('bad_input', `the concurrency ${concurrency} is invalid`, {
      field: 'concurrency',
      fix: 'use an integer of 1 or more',
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
  const { jobs, concurrency, signal, lake } = options;
  const controls = lake?.directory === undefined ? undefined : await openControlSocket(lake.directory);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const forward = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener('abort', forward, { once: true });

  const source = Symbol.asyncIterator in jobs ? jobs[Symbol.asyncIterator]() : jobs[Symbol.iterator]();
  let awaited = 0;
  const next = async (): Promise<IteratorResult<Job>> => {
    awaited++;
    try {
      return await source.next();
    } finally {
      awaited--;
    }
  };
  const ended = new PassThrough({ objectMode: true, readableHighWaterMark: concurrency, writableHighWaterMark: 1 });
  ended.setMaxListeners(0);
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
      fix: 'check that browsers start and that the policy answers; `gyre doctor` checks this machine',
      cause: failure,
    });
  };

  let failure: { error: unknown } | undefined;
  const workers = Array.from({ length: concurrency }, () =>
    work(options, next, deliver, onAttempt, { counts, givenUp, desk: controls?.desk }, stop.signal).catch(
      (error: unknown) => {
        failure ??= { error };
        stop.abort(error);
      },
    ),
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
    // A generator returns after the jobs that it was asked for, and may have none before this stream has ended.
    const returned = Promise.resolve(source.return?.());
    if (awaited === 0) await returned;
    else returned.catch(() => undefined);
    await controls?.close();
  }
}

async function work(
  options: EpisodesOptions,
  next: () => Promise<IteratorResult<Job>>,
  deliver: (episode: Episode) => Promise<void>,
  onAttempt: (failure: GyreError | undefined) => void,
  { counts, givenUp, desk }: { counts: EpisodeCounts; givenUp: GivenUp[]; desk: ControlDesk | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { policy, lake, screenshots, now, decisionMs, episodeMs, advise, retries = 1, onEpisode } = options;
  const keptSession = new KeptSession({ lease: (needs) => leaseUnlessAborted(options, needs, signal) });

  const attempt = async (job: Job, alone: boolean): Promise<Episode | GyreError> => {
    keptSession.alone = alone;
    keptSession.sdk = sessionSdk(job.search);
    const onRetry = (fault: GyreError): void => {
      counts.infraErrors++;
      counts.retried++;
      options.onFailure?.(fault, job);
    };
    const environment = job.open(keptSession);
    const id = job.id ?? randomUUID();
    const control = desk && new EpisodeControl();
    const leaveDesk = control && desk.add(id, control, { measured: job.purpose === 'eval' });
    try {
      const limits = { decisionMs, episodeMs, retries };
      const run = { policy: job.policy ?? policy, lake, screenshots, signal, now, advise };
      const seen = { id, control, onRetry };
      const episode = await runEpisode({ ...job, ...limits, ...run, ...seen, environment, reproduce: true });
      await environment.close().catch(() => undefined);
      // The agent broke this page.
      if (episode.end.state === 'agent_fault') await keptSession.close().catch(() => undefined);
      onEpisode?.(episode, job);
      return episode;
    } catch (error) {
      if (!isInfra(error)) throw error;
      return error;
    } finally {
      leaveDesk?.();
      await environment.close().catch(() => undefined);
    }
  };

  try {
    while (!signal.aborted) {
      const item = await untilAborted(next(), signal);
      if (item === undefined || item.done) return;
      const job = item.value;
      for (let tries = 0; ; tries++) {
        // In its own browser, safe from a destructive neighbour.
        const outcome = await attempt(job, tries > 0);
        const failure = failureOf(outcome);
        if (failure === undefined) {
          const episode = outcome as Episode;
          onAttempt(undefined);
          count(counts, episode);
          if (episode.end.state === 'cut') {
            // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a signal may abort while this waits
            if (signal.aborted) break;
            givenUp.push({ task: job.task, seed: job.seed, message: 'a person stopped it' });
            options.onOver?.(job);
            break;
          }
          options.onOver?.(job, episode);
          await deliver(episode);
          break;
        }
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a signal may abort while this waits
        if (signal.aborted) return;
        counts.infraErrors++;
        options.onFailure?.(failure, job);
        onAttempt(failure);
        await keptSession.close().catch(() => undefined); // A broken session may fail to close.
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
    await keptSession.close().catch((error: unknown) => {
      if (!isInfra(error)) throw error;
    });
  }
}

/** Returns undefined with a verdict or after a cut. */
function failureOf(outcome: Episode | GyreError): GyreError | undefined {
  if (outcome instanceof GyreError) return outcome;
  if (outcome.end.state !== 'infra_error') return undefined;
  const { message, part } = outcome.end;
  return new GyreError('infra', message, { part: part ?? 'machine' });
}

/** Refuses a second chance after a policy failure. */
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
