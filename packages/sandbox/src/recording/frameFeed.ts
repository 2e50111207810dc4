import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { checkedNumber } from '../checkedNumber.js';
import type { Frame } from './frame.js';

export interface CapturedFrame {
  readonly frame: Frame;
  /** Session time in ms; 0 if the frame was drawn anyway. */
  readonly costMs: number;
}

export interface FramesOptions {
  /** Maximum frame rate. Default 10. */
  readonly perSecond?: number;
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly seen: string;
  readonly intervalMs: number;
  readonly resolve: (frame: Frame | undefined) => void;
  readonly reject: (error: Error) => void;
}

const defaultShare = 1 / 10;

/** Limits a new viewer's wait. */
const longestRestMs = 50;

/**
 * Shares one screen's frames among viewers. Captures on demand, throttled to a small share of session time. Slow
 * viewers skip to the newest frame.
 */
export class FrameFeed {
  readonly #look: () => Promise<CapturedFrame | undefined>;
  readonly #share: () => number;
  readonly #waiting = new Set<Waiting>();
  readonly #over = new AbortController();
  #newest: Frame | undefined;
  #lookedAt = -Infinity;
  #costMs = 0;
  #looking = false;

  /**
   * @param look captures the screen, if visible.
   * @param share fraction of session time for captures.
   */
  constructor(look: () => Promise<CapturedFrame | undefined>, share: () => number = () => defaultShare) {
    this.#look = look;
    this.#share = share;
    // One listener per viewer.
    setMaxListeners(0, this.#over.signal);
  }

  /** Yields the current frame and each change. Throws capture errors, and `bad_input` for a bad rate. */
  async *frames({ perSecond = 10, signal }: FramesOptions = {}): AsyncGenerator<Frame, void> {
    checkedNumber('perSecond', perSecond, { min: 0.001, max: 1_000 });
    const intervalMs = 1_000 / perSecond;
    const stop = signal ? AbortSignal.any([signal, this.#over.signal]) : this.#over.signal;
    for (let seen = ''; ;) {
      const frame = await this.#after(seen, intervalMs, stop);
      if (!frame) return;
      seen = frame.hash;
      const yieldedAt = performance.now();
      yield frame;
      await rest(yieldedAt + intervalMs - performance.now(), stop);
    }
  }

  end(): void {
    this.#over.abort();
  }

  /** Resolves with the next frame unlike `seen`; undefined at the end. */
  #after(seen: string, intervalMs: number, stop: AbortSignal): Promise<Frame | undefined> {
    return new Promise((resolve, reject) => {
      if (stop.aborted) return resolve(undefined);
      // No frame is newer until the next capture is due.
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

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
}
