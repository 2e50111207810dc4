import { Violation } from './violation.js';

export interface AllowanceOptions {
  readonly burst: number;
  readonly perSecond: number;
  readonly unit: string;
}

/** A token bucket. */
export class Allowance {
  readonly #options: AllowanceOptions;
  readonly #now: () => number;
  #left: number;
  #filledAt: number;

  constructor(options: AllowanceOptions, now: () => number = () => performance.now()) {
    this.#options = options;
    this.#now = now;
    this.#left = options.burst;
    this.#filledAt = now();
  }

  /** Throws `Violation`. */
  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left >= 0) return;
    // The clock is read only if necessary.
    const { burst, perSecond, unit } = this.#options;
    const now = this.#now();
    const filled = ((now - this.#filledAt) / 1_000) * perSecond;
    this.#filledAt = now;
    this.#left = Math.min(burst, this.#left + filled);
    if (this.#left < 0)
      throw new Violation(`exceeded its rate limit of ${burst} ${unit} at once and ${perSecond} per second`);
  }

  refill(): void {
    this.#left = this.#options.burst;
  }
}
