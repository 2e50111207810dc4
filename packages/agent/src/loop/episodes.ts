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
    /** Whether nothing that other sessions do may break it. Machines always are on their own. */
    readonly alone?: boolean;
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
  /**
   * How often a job is tried again from its start after an infrastructure error, each time in a new session, and how often a policy is
   * asked again for a decision. A job whose policy has failed is not started again: it might fail when it is about to lose. Default 1.
   */
  readonly retries?: number;
  /** Told of every episode as it ends, those that were cut or lost to the infrastructure included. */
  readonly onEpisode?: (episode: Episode, job: Job) => void;
  /** Told of every job once it is over: with its episode, or without one where it was given up. Not told of what was cut. */
  readonly onOver?: (job: Job, episode?: Episode) => void;
  /** Called with every fault of the infrastructure: those that ended an attempt, and those after which its episode continued. */
  readonly onFailure?: (failure: GyreError, job: Job) => void;
}

/** A job without an episode to judge: the infrastructure or the policy failed until no try was left. It counts as a failure. */
export interface GivenUp {
  readonly task: Task;
  readonly seed: number;
  readonly message: string;
}

/** How many episodes ended how. */
export interface EpisodeCounts {
  finished: number;
  /** `stuck` ones too. */
  outOfBudget: number;
  /** The agent's own actions ended its page or machine. They have a verdict of failure. */
  agentFaults: number;
  /** Faults of the infrastructure, also before an episode's first screenshot. */
  infraErrors: number;
  /** Of them, those after which the episode continued in a fresh session or with another decision, or its job began again. */
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
export type Episodes = AsyncGenerator<Episode, EpisodeCounts, void> & {
  readonly counts: Readonly<EpisodeCounts>;
  /** Every task that was given up so far. Whoever reports a success rate counts them as failures. */
  readonly givenUp: readonly GivenUp[];
};

/**
 * Plays many episodes at once, over sessions leased from `pool` and kept from one episode to the next while the screen size
 * stays the same and no machine is needed. Work begins with the first `next()`.
 *
 * Yields the episodes that have a verdict. Those that ended as `infra_error` are in the lake and in the counts, never in the yield,
 * so that none of them is taken for a reward of 0; a task of which no attempt came to a verdict is in `givenUp`. While a consumer is busy
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

/** Plays jobs one after the other in one session at a time, until there are no more. */
async function work(
  options: EpisodesOptions,
  next: () => Promise<IteratorResult<Job>>,
  deliver: (episode: Episode) => Promise<void>,
  onAttempt: (failure: GyreError | undefined) => void,
  { counts, givenUp }: { counts: EpisodeCounts; givenUp: GivenUp[] },
  signal: AbortSignal,
): Promise<void> {
  const { policy, lake, screenshots, now, decisionMs, episodeMs, retries = 1, onEpisode } = options;
  let session: Session | undefined;
  let isAlone = false;

  const release = async (): Promise<void> => {
    const held = session;
    session = undefined;
    await held?.release();
  };

  const lease = async (job: Job, alone: boolean): Promise<Session> => {
    isAlone = alone;
    session = await leaseUnlessAborted(options, job, signal, alone);
    if (session) return session;
    throw new GyreError('infra', 'the run was stopped', { part: 'lease' });
  };

  /** One attempt at a job: its episode, or why none had begun. */
  const attempt = async (job: Job, alone: boolean): Promise<Episode | GyreError> => {
    try {
      const fits = session !== undefined && job.machine === undefined && sameSize(session.screen.size, job.task.screen);
      if (!fits) await release();
      const limits = { decisionMs, episodeMs, retries };
      const run = { policy: job.policy ?? policy, lake, screenshots, signal, now };
      const replace = async (): Promise<Session> => {
        await release().catch(() => undefined);
        return lease(job, true);
      };
      const onRetry = (fault: GyreError): void => {
        counts.infraErrors++;
        counts.retried++;
        options.onFailure?.(fault, job);
      };
      const episode = await runEpisode({
        ...{ ...job, ...limits, ...run, replace, onRetry },
        session: session ?? (await lease(job, alone)),
      });
      // A page that the agent has broken is of no more use, and a browser of its own is not kept for the next job.
      const isSpent = job.machine !== undefined || isAlone || episode.end.state === 'agent_fault';
      if (isSpent) await release().catch(() => undefined);
      onEpisode?.(episode, job);
      return episode;
    } catch (error) {
      if (!isInfra(error)) throw error;
      return error;
    }
  };

  try {
    while (!signal.aborted) {
      const item = await untilAborted(next(), signal);
      if (item === undefined || item.done) return;
      const job = item.value;
      for (let tries = 0; ; tries++) {
        // What breaks others does not break it twice.
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
        // What fails while everything is being stopped failed because of that.
        if (signal.aborted) return;
        counts.infraErrors++;
        options.onFailure?.(failure, job);
        onAttempt(failure);
        await release().catch(() => undefined); // What broke is replaced; that it cannot be given back is no news.
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
    await release().catch((error: unknown) => {
      if (!isInfra(error)) throw error;
    });
  }
}

/** Why an attempt has no verdict and no way to one; undefined where it has one, or was cut. */
function failureOf(outcome: Episode | GyreError): GyreError | undefined {
  if (outcome instanceof GyreError) return outcome;
  if (outcome.end.state !== 'infra_error') return undefined;
  const { message, part } = outcome.end;
  return new GyreError('infra', message, { part: part ?? 'machine' });
}

/** A policy was asked again already. If it fails when its episode goes badly, another episode would be a second chance. */
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
  { task, machine }: Job,
  signal: AbortSignal,
  alone: boolean,
): Promise<Session | undefined> {
  const lease = pool.lease({
    size: task.screen,
    pictures: pictures || lake !== undefined,
    ...(machine !== undefined && { machine }),
    ...(alone && { alone }),
  });
  const session = await untilAborted(lease, signal);
  if (session === undefined) void lease.then((late) => late.release()).catch(() => undefined);
  return session;
}

function sameSize(a: Task['screen'], b: Task['screen']): boolean {
  return a.width === b.width && a.height === b.height;
}
