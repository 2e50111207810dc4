import { type Episode, GyreError } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { type AnyInstance, openTask } from '@gyre/tasks';
import { recordedTask } from './recordedTask.js';
import { type ReplayResult, replayEpisode } from './replayEpisode.js';

export interface Unverified {
  readonly episode: string;
  readonly task: string;
  readonly state: 'left out' | 'failed';
  readonly reason: string;
}

export interface Verification {
  verified: number;
  different: number;
  failed: number;
  leftOut: number;
  readonly episodes: (ReplayResult | Unverified)[];
}

const sessionsPerBrowser = 4;

/**
 * Replays episodes in parallel sessions.
 *
 * @param options.last replays only the newest N.
 * @throws session errors other than `infra`, which is retried once and then counted.
 */
export async function verify(
  episodes: AsyncIterable<Episode>,
  options: {
    readonly last?: number | undefined;
    readonly sessions: number;
    readonly signal: AbortSignal;
    readonly onEnd: (end: ReplayResult | Unverified, counts: { done: number; total: number | undefined }) => void;
  },
): Promise<Verification> {
  const { last, sessions, signal, onEnd } = options;
  const result: Verification = { verified: 0, different: 0, failed: 0, leftOut: 0, episodes: [] };
  const selected = last === undefined ? undefined : await newest(episodes, last);
  const source = selected ? selected.values() : episodes[Symbol.asyncIterator]();
  const pool = await BrowserPool.launch({ browsers: Math.ceil(sessions / sessionsPerBrowser), sessionsPerBrowser });
  const add = (end: ReplayResult | Unverified): void => {
    result.episodes.push(end);
    if ('reason' in end) result[end.state === 'failed' ? 'failed' : 'leftOut']++;
    else result[end.identical && end.sameVerdict ? 'verified' : 'different']++;
    onEnd(end, { done: result.episodes.length, total: selected?.length });
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const item = await source.next();
      if (item.done) return;
      add(await replayWithRetry(item.value, pool, signal));
    }
  };
  try {
    await Promise.all(Array.from({ length: sessions }, work));
    return result;
  } finally {
    await pool.close();
  }
}

async function newest(episodes: AsyncIterable<Episode>, count: number): Promise<Episode[]> {
  const latest: Episode[] = [];
  for await (const episode of episodes) {
    latest.push(episode);
    if (latest.length > count) latest.shift();
  }
  return latest;
}

async function replayWithRetry(
  episode: Episode,
  pool: BrowserPool,
  signal: AbortSignal,
): Promise<ReplayResult | Unverified> {
  const unverified = (state: Unverified['state'], { message }: GyreError): Unverified => {
    return { episode: episode.id, task: episode.task.id, state, reason: message };
  };
  let instance: AnyInstance;
  try {
    instance = recordedTask(episode);
  } catch (error) {
    if (error instanceof GyreError && error.code === 'bad_input') return unverified('left out', error);
    throw error;
  }
  for (let tries = 0; ; tries++) {
    try {
      const environment = openTask(instance, pool);
      try {
        return await replayEpisode(episode, environment, { signal });
      } finally {
        await environment.close();
      }
    } catch (error) {
      if (!(error instanceof GyreError && error.code === 'infra')) throw error;
      if (tries > 0) return unverified('failed', error);
    }
  }
}
