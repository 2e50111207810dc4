/** Interval in ms. */
const everyMs = 10_000;

/** Consecutive misses until it counts as gone. */
const misses = 3;

/** Polls a machine: an unused one disappears without a word. */
export class Heartbeat {
  /** Resolves with the last failure, after too many in a row. */
  readonly gone: Promise<unknown>;
  readonly #ask: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #missed = 0;
  #asking = false;
  #lose: (error: unknown) => void = () => undefined;

  /** @param ask rejects where there is no answer. */
  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
    this.gone = new Promise((resolve) => (this.#lose = resolve));
    this.#timer = setInterval(() => this.now(), everyMs);
    this.#timer.unref();
  }

  /** Asks at once, as after a failure. */
  now(): void {
    if (this.#asking) return;
    this.#asking = true;
    this.#ask().then(
      () => {
        this.#missed = 0;
        this.#asking = false;
      },
      (error: unknown) => {
        this.#asking = false;
        if (++this.#missed >= misses) this.#lose(error);
      },
    );
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
