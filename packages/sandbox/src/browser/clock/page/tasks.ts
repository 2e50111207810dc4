import { defineMethods } from './define.js';
import type { Time } from './time.js';

interface Timer {
  readonly id: number;
  due: number;
  readonly every: number;
  readonly callback: unknown;
  readonly args: readonly unknown[];
}

/** Timers due within the longest stride take slots. */
const soonMs = 120;
const maxSlots = 4_096;

export interface TaskTerms {
  readonly framesPerSecond: number;
  readonly tickMs: number;
  readonly timelineTime: () => number;
}

/**
 * Runs timers and animation frame callbacks in game time. Each task gets its own native animation frame callback (a
 * slot), since the browser drains microtasks only after native callbacks.
 */
export class Tasks {
  /** Timeline time at the first frame. */
  timelineBase: number | undefined;
  readonly #time: Time;
  readonly #terms: TaskTerms;
  readonly #nativeFrame = window.requestAnimationFrame.bind(window);
  /** Sorted by due time, then by age. */
  readonly #queue: Timer[] = [];
  #lastId = 0;
  #callbacks = new Map<number, unknown>();
  /** Callbacks of the current frame; undefined until its timers have run. */
  #due: Map<number, unknown> | undefined;
  #frame = 0;
  #target = 0;
  #frameTime = 0;
  #origin = 0;
  /** Slots for tasks scheduled within the frame. */
  #spare = 8;
  /** Slots requested for the next frame, and left in this one. */
  #provided = 0;
  #remaining = 0;

  constructor(time: Time, terms: TaskTerms) {
    this.#time = time;
    this.#terms = terms;
    this.#define();
    this.#provide();
  }

  schedule(callback: unknown, delay: unknown, args: readonly unknown[] = [], repeats = false): number {
    // Lets a chain of zero-delay timers end with its frame.
    const ms = Math.max(1, Number(delay) || 0);
    const timer = { id: ++this.#lastId, due: this.#time.now + ms, every: repeats ? ms : 0, callback, args };
    this.#enqueue(timer);
    if (ms < soonMs) this.#provide();
    return timer.id;
  }

  cancel(id: unknown): void {
    const index = this.#queue.findIndex((timer) => timer.id === Number(id));
    if (index >= 0) this.#queue.splice(index, 1);
  }

  #define(): void {
    const schedule = this.schedule.bind(this);
    const cancel = this.cancel.bind(this);
    const requestFrame = (callback: unknown): number => {
      this.#callbacks.set(++this.#lastId, callback);
      this.#provide();
      return this.#lastId;
    };
    const cancelFrame = (id: number): void => {
      this.#callbacks.delete(id);
      this.#due?.delete(id);
    };
    defineMethods(window, {
      setTimeout(callback: unknown, delay: unknown, ...args: readonly unknown[]) {
        return schedule(callback, delay, args);
      },
      setInterval(callback: unknown, delay: unknown, ...args: readonly unknown[]) {
        return schedule(callback, delay, args, true);
      },
      clearTimeout: (id: unknown) => cancel(id),
      clearInterval: (id: unknown) => cancel(id),
      requestIdleCallback: (callback: unknown) =>
        schedule(callback, 1, [{ didTimeout: false, timeRemaining: () => 10 }]),
      cancelIdleCallback: (id: unknown) => cancel(id),
      requestAnimationFrame: (callback: unknown) => requestFrame(callback),
      cancelAnimationFrame: (id: number) => cancelFrame(id),
    });
  }

  #enqueue(timer: Timer): void {
    let low = 0;
    let high = this.#queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#queue[middle]!.due <= timer.due) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, timer);
  }

  #step(): boolean {
    this.#time.begin();
    while (this.#frame < this.#target) {
      if (this.#due === undefined) {
        const end = ((this.#frame + 1) * 1_000) / this.#terms.framesPerSecond;
        const timer = this.#queue[0];
        if (timer !== undefined && timer.due <= end) {
          this.#queue.shift();
          this.#time.now = Math.max(this.#time.now, timer.due);
          if (timer.every > 0) this.#enqueue(Object.assign(timer, { due: timer.due + timer.every }));
          call(timer.callback, timer.args);
          return true;
        }
        this.#frame += 1;
        this.#frameTime = this.#time.now = Math.max(this.#time.now, end);
        this.#due = this.#callbacks;
        this.#callbacks = new Map();
      }
      for (const [id, callback] of this.#due) {
        this.#due.delete(id);
        call(callback, [this.#frameTime]);
        return true;
      }
      this.#due = undefined;
    }
    return false;
  }

  #provide(): void {
    let soon = 0;
    while (soon < this.#queue.length && this.#queue[soon]!.due < this.#time.now + soonMs) soon++;
    const slots = Math.min(maxSlots, soon + this.#callbacks.size + this.#spare);
    for (; this.#provided < slots; this.#provided++) this.#nativeFrame(this.#slot);
  }

  readonly #slot = (timestamp: number): void => {
    if (this.#remaining === 0) {
      this.#remaining = this.#provided;
      this.#provided = 0;
      if (this.timelineBase === undefined) {
        this.#origin = timestamp;
        this.timelineBase = this.#terms.timelineTime();
      }
      // A redraw is 0.1 ms later.
      this.#target = Math.max(this.#target, Math.round((timestamp - this.#origin) / this.#terms.tickMs));
    }
    this.#remaining -= 1;
    const ran = this.#step();
    if (this.#remaining > 0) return;
    if (ran && this.#frame < this.#target) void this.#rest();
    else this.#provide();
  };

  /** Runs tasks left without slots, and reserves more. */
  async #rest(): Promise<void> {
    this.#spare = Math.min(maxSlots, this.#spare * 4);
    do for (let hop = 0; hop < 64; hop++) await Promise.resolve();
    while (this.#step());
    this.#provide();
  }
}

function call(callback: unknown, args: readonly unknown[]): void {
  try {
    // Like setTimeout with a string.
    if (typeof callback === 'function') callback.apply(window, args);
    else (0, eval)(String(callback));
  } catch (error) {
    reportError(error);
  }
}
