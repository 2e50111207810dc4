import { define } from './define.js';

/** How often a task may look at the time before time moves. */
const freeLooks = 1_000;
const lookMs = 0.005;

const clockOf = Symbol.for('gyre clock');
type Clocked = Partial<Record<symbol, () => number>>;

/** Game time in ms. It stands still within a task, unless the task looks so often that it must be waiting. */
export class Time {
  now = 0;
  #looks = 0;
  readonly #epoch: number;
  /** The time at which this document began: documents of one origin have one time. */
  readonly #since = parentTime();

  constructor(epoch: number) {
    this.#epoch = epoch;
    define(window, clockOf, () => this.#since + this.now);
  }

  /** Begins a task. */
  begin(): void {
    this.#looks = 0;
  }

  look(): number {
    if (++this.#looks > freeLooks) this.now += lookMs;
    return this.now;
  }

  /** Returns what `Date.now()` says. */
  date(): number {
    return this.#epoch + Math.floor(this.#since + this.look());
  }

  /** Returns the same, without a look. */
  get today(): number {
    return this.#epoch + Math.floor(this.#since + this.now);
  }

  /** Returns what `performance.timeOrigin` says. */
  get origin(): number {
    return this.#epoch + this.#since;
  }
}

function parentTime(): number {
  try {
    if (window.parent !== window) return (window.parent as unknown as Clocked)[clockOf]?.() ?? 0;
  } catch {
    // The parent is of another origin.
  }
  return 0;
}
