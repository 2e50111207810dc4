/** Interval of the polls, in ms. */
const everyMs = 10_000;

/** Unanswered polls in a row after which the machine is gone. */
const misses = 3;

/** Polls a machine, which otherwise could go away unnoticed while it is unused. */
export class Heartbeat {
  /** Resolves with the last error once too many polls have failed. */
  readonly gone: Promise<unknown>;
  readonly #ask: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #missed = 0;
  #asking = false;
  #lose: (error: unknown) => void = () => undefined;

  /** @param ask polls the machine; rejects where it does not answer. */
  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
    this.gone = new Promise((resolve) => (this.#lose = resolve));
    this.#timer = setInterval(() => this.now(), everyMs);
    this.#timer.unref();
  }

  /** Polls at once. */
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
