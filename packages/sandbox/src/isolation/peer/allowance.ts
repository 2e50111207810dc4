import { Violation } from './violation.js';

export interface AllowanceOptions {
  /** What may come at once. */
  readonly burst: number;
  /** What may come each second in the long run. */
  readonly perSecond: number;
  /** What is counted: `messages`, `bytes`. */
  readonly unit: string;
}

/** How much a peer may send: a bucket that empties as it sends and fills as time passes. */
export class Allowance {
  readonly #options: AllowanceOptions;
  readonly #now: () => number;
  #left: number;
  #filledAt: number;

  /** @param now in ms. */
  constructor(options: AllowanceOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
    this.#left = options.burst;
    this.#filledAt = now();
  }

  /** Counts what has come. Throws `Violation` where it is more than is allowed. */
  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left >= 0) return;
    // The clock is read only where the bucket seems empty.
    const { burst, perSecond, unit } = this.#options;
    const now = this.#now();
    const filled = ((now - this.#filledAt) / 1_000) * perSecond;
    this.#filledAt = now;
    this.#left = Math.min(burst, this.#left + filled);
    if (this.#left < 0)
      throw new Violation(`sends without end: more than ${burst} ${unit} at once and ${perSecond} a second`);
  }

  /** Allows the whole burst again. */
  refill(): void {
    this.#left = this.#options.burst;
  }
}
