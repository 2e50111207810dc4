import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { checkedNumber } from '../checkedNumber.js';
import type { Frame } from './frame.js';

/** One capture of a screen. */
export interface Look {
  readonly frame: Frame;
  /** Session time that the capture took, in ms: 0 where the frame had been drawn anyway. */
  readonly costMs: number;
}

export interface FramesOptions {
  /** Most frames per second. Default 10. */
  readonly perSecond?: number;
  readonly signal?: AbortSignal;
}

interface Waiting {
  /** Hash of the last frame that it got. */
  readonly seen: string;
  readonly intervalMs: number;
  readonly resolve: (frame: Frame | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** Share of the session's time that captures may take. */
const usualShare = 1 / 10;

/** Longest pause between captures, in ms, that a new viewer waits for. */
const longestRestMs = 50;

/**
 * Shares the frames of one screen among its viewers. It captures the screen once for all, only while one of them waits, and throttled
 * to a small share of the session's time. Slow viewers skip to the newest frame.
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
   * @param look captures the screen; undefined while nothing can be seen.
   * @param share of the session's time that captures may take, in 0..1. Default 1/10.
   */
  constructor(look: () => Promise<Look | undefined>, share: () => number = () => usualShare) {
    this.#look = look;
    this.#share = share;
    // One for each viewer.
    setMaxListeners(0, this.#over.signal);
  }

  /**
   * Yields what the screen shows, at first and at each change, until the feed ends or `signal` aborts. Throws the errors of captures,
   * and `bad_input` for a rate out of range.
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

  /** Ends the feed for all viewers. */
  end(): void {
    this.#over.abort();
  }

  /** Resolves with the next frame that differs from `seen`; undefined once the feed has ended. */
  #after(seen: string, intervalMs: number, stop: AbortSignal): Promise<Frame | undefined> {
    return new Promise((resolve, reject) => {
      if (stop.aborted) return resolve(undefined);
      // Nothing is newer until the next capture is due.
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
          reject(error);
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

  /** Captures the screen as long as a viewer waits. */
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
        for (const one of [...this.#waiting]) one.reject(error as Error);
      }
    }
    this.#looking = false;
  }
}

/** Resolves after `ms`, or when `signal` aborts. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
