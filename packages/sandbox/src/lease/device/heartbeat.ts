const everyMs = 10_000;

const misses = 3;

/** Polls, because an unused machine disappears silently. */
export class Heartbeat {
  /** Resolves with the last error. */
  readonly gone: Promise<unknown>;
  readonly #ask: () => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #missed = 0;
  #asking = false;
  #lose: (error: unknown) => void = () => undefined;

  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
    this.gone = new Promise((resolve) => (this.#lose = resolve));
    this.#timer = setInterval(() => this.now(), everyMs);
    this.#timer.unref();
  }

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
