/** Merges calls: those that come during a run share the next one, which begins after them. */
export class SharedCall {
  readonly #call: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(call: () => Promise<void>) {
    this.#call = call;
  }

  run(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const run = this.#call();
      this.#running = run.catch(() => undefined);
      return run;
    });
    return this.#next;
  }
}
