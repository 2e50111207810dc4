import { define } from './define.js';

/** Reads per task before time moves. */
const freeLooks = 1_000;
const lookMs = 0.005;

const clockOf = Symbol.for('gyre clock');
type Clocked = Partial<Record<symbol, () => number>>;

/** Game time in ms. It stands still within a task, unless frequent reads suggest busy-waiting. */
export class Time {
  now = 0;
  #looks = 0;
  readonly #epoch: number;
  /** Same-origin documents share one time. */
  readonly #since = parentTime();

  constructor(epoch: number) {
    this.#epoch = epoch;
    define(window, clockOf, () => this.#since + this.now);
  }

  begin(): void {
    this.#looks = 0;
  }

  look(): number {
    if (++this.#looks > freeLooks) this.now += lookMs;
    return this.now;
  }

  date(): number {
    return this.#epoch + Math.floor(this.#since + this.look());
  }

  /** The same, not counted as a read. */
  get today(): number {
    return this.#epoch + Math.floor(this.#since + this.now);
  }

  get origin(): number {
    return this.#epoch + this.#since;
  }
}

function parentTime(): number {
  try {
    if (window.parent !== window) return (window.parent as unknown as Clocked)[clockOf]?.() ?? 0;
  } catch {
    // Cross-origin parent.
  }
  return 0;
}
