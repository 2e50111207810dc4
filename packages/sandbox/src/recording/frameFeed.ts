import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { checkedNumber } from '../checkedNumber.js';
import type { Frame } from './frame.js';

/** One look at a screen. */
export interface Look {
  readonly frame: Frame;
  /** What it took of the session's time, in ms: nothing where the frame had been drawn anyway. */
  readonly costMs: number;
}

export interface FramesOptions {
  /** At most. Default 10. */
  readonly perSecond?: number;
  readonly signal?: AbortSignal;
}

interface Waiting {
  /** Hash of the frame that it has. */
  readonly seen: string;
  readonly intervalMs: number;
  readonly resolve: (frame: Frame | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Share of the session's time that looks may take. */
const usualShare = 1 / 10;

/** The longest rest, in ms, that who comes in the middle of it has to wait for. */
const longestRestMs = 50;

/**
 * The frames of one screen for all who watch it. The screen is looked at once for all of them, only while one of them waits, and so
 * seldom that it costs the session a small share of its time. Who is slow gets the newest frame next, and misses those in between.
 */
export class FrameFeed {
  readonly #look: () => Promise<Look | undefined>;
  readonly #share: () => number;
  readonly #waiting = new Set<Waiting>();
  readonly #over = new AbortController();
  #newest: Frame | undefined;
  #lookedAt = -Infinity;
  #costMs = 0;
  #looking = false;

  /**
   * @param look undefined where there is nothing to be seen just now.
   * @param share of the session's time that looks may take, in 0..1. Default 1/10.
   */
  constructor(look: () => Promise<Look | undefined>, share: () => number = () => usualShare) {
    this.#look = look;
    this.#share = share;
    // One for each who watches.
    setMaxListeners(0, this.#over.signal);
  }

  /**
   * What the screen shows, at first and then whenever it has changed, until the feed ends or `signal` is aborted. Throws `bad_input` for
   * a rate that is none, and what a look throws.
   */
  async *frames({ perSecond = 10, signal }: FramesOptions = {}): AsyncGenerator<Frame, void> {
    checkedNumber('perSecond', perSecond, { least: 0.001, most: 1_000 });
    const intervalMs = 1_000 / perSecond;
    const stop = signal ? AbortSignal.any([signal, this.#over.signal]) : this.#over.signal;
    for (let seen = ''; ;) {
      const frame = await this.#after(seen, intervalMs, stop);
      if (!frame) return;
      seen = frame.hash;
      const given = performance.now();
      yield frame;
      await rest(given + intervalMs - performance.now(), stop);
    }
  }

  /** Ends all that watch. */
  end(): void {
    this.#over.abort();
  }

  /** The next frame that is not the one that was seen; undefined where there is none to come. */
  #after(seen: string, intervalMs: number, stop: AbortSignal): Promise<Frame | undefined> {
    return new Promise((resolve, reject) => {
      if (stop.aborted) return resolve(undefined);
      // Until the next look is due there is nothing newer.
      const newest = performance.now() < this.#dueAt(intervalMs) ? this.#newest : undefined;
      if (newest && newest.hash !== seen) return resolve(newest);
      const leave = () => {
        stop.removeEventListener('abort', stopped);
        this.#waiting.delete(waiting);
      };
      const waiting: Waiting = {
        seen,
        intervalMs,
        resolve: (frame) => {
          leave();
          resolve(frame);
        },
        reject: (error) => {
          leave();
          reject(error as Error);
        },
      };
      const stopped = () => waiting.resolve(undefined);
      stop.addEventListener('abort', stopped);
      this.#waiting.add(waiting);
      void this.#serve();
    });
  }

  #dueAt(intervalMs: number): number {
    return this.#lookedAt + Math.max(intervalMs, this.#costMs / this.#share());
  }

  /** Looks as long as anybody waits. */
  async #serve(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    while (this.#waiting.size > 0) {
      const now = performance.now();
      const due = this.#dueAt(Math.min(...[...this.#waiting].map(({ intervalMs }) => intervalMs)));
      if (due > now) {
        await rest(Math.min(due - now, longestRestMs), this.#over.signal);
        continue;
      }
      this.#lookedAt = now;
      try {
        const look = await this.#look();
        this.#newest = look?.frame;
        this.#costMs = look?.costMs ?? 0;
        for (const one of [...this.#waiting]) if (look && one.seen !== look.frame.hash) one.resolve(look.frame);
      } catch (error) {
        for (const one of [...this.#waiting]) one.reject(error);
      }
    }
    this.#looking = false;
  }
}

/** Resolves after `ms`, or when it is to stop. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
