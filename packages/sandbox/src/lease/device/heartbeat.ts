/** Time between two questions, in ms. */
const everyMs = 10_000;

/** Questions in a row that stay without an answer until it is gone. */
const misses = 3;

/** Asks a machine again and again whether it is still there: one that nobody uses goes away without a word. */
export class Heartbeat {
  /** Resolves with what the last question failed by, once too many of them have. */
  readonly gone: Promise<unknown>;
  readonly #ask: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #missed = 0;
  #asking = false;
  #lose: (error: unknown) => void = () => undefined;

  /** @param ask is there an answer? Rejects where there is none. */
  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
    this.gone = new Promise((resolve) => (this.#lose = resolve));
    this.#timer = setInterval(() => this.now(), everyMs);
    this.#timer.unref();
  }

  /** Asks at once, as when something has failed. */
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
