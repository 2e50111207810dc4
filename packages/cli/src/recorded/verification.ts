import { type Episode, GyreError } from '@gyre/protocol';
import { BrowserPool } from '@gyre/sandbox';
import { type AnyInstance, openTask } from '@gyre/tasks';
import { recordedTask } from './recordedTask.js';
import { type Replayed, replayed } from './replayed.js';

/** An episode that could not be compared: it cannot be replayed, or the browser failed, twice. */
export interface Unverified {
  readonly episode: string;
  readonly task: string;
  readonly state: 'left out' | 'failed';
  readonly reason: string;
}

/** The results of many replays. */
export interface Verification {
  /** Frames and verdict are the same. */
  verified: number;
  different: number;
  failed: number;
  leftOut: number;
  readonly episodes: (Replayed | Unverified)[];
}

/** How many sessions one browser process has. */
const sessionsPerBrowser = 4;

/**
 * Replays episodes, several at once, each in a session of its own, and compares all frames and verdicts.
 *
 * @param options.last replays only the last so many.
 * @param options.onEnd receives each result, with how many have ended, and of how many where that is known.
 * @throws errors of sessions other than `infra`, which is tried once more and then counted.
 */
export async function verify(
  episodes: AsyncIterable<Episode>,
  options: {
    readonly last?: number | undefined;
    readonly sessions: number;
    readonly signal: AbortSignal;
    readonly onEnd: (end: Replayed | Unverified, counts: { done: number; of: number | undefined }) => void;
  },
): Promise<Verification> {
  const { last, sessions, signal, onEnd } = options;
  const result: Verification = { verified: 0, different: 0, failed: 0, leftOut: 0, episodes: [] };
  const kept = last === undefined ? undefined : await newest(episodes, last);
  const source = kept ? kept.values() : episodes[Symbol.asyncIterator]();
  const pool = await BrowserPool.launch({ browsers: Math.ceil(sessions / sessionsPerBrowser), sessionsPerBrowser });
  const add = (end: Replayed | Unverified): void => {
    result.episodes.push(end);
    if ('reason' in end) result[end.state === 'failed' ? 'failed' : 'leftOut']++;
    else result[end.identical && end.sameVerdict ? 'verified' : 'different']++;
    onEnd(end, { done: result.episodes.length, of: kept?.length });
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const item = await source.next();
      if (item.done) return;
      add(await again(item.value, pool, signal));
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
  const kept: Episode[] = [];
  for await (const episode of episodes) {
    kept.push(episode);
    if (kept.length > count) kept.shift();
  }
  return kept;
}

async function again(episode: Episode, pool: BrowserPool, signal: AbortSignal): Promise<Replayed | Unverified> {
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
        return await replayed(episode, environment, { signal });
      } finally {
        await environment.close();
      }
    } catch (error) {
      if (!(error instanceof GyreError && error.code === 'infra')) throw error;
      if (tries > 0) return unverified('failed', error);
    }
  }
}
