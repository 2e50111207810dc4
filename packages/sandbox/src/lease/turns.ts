/** Calls that run one after another, in the order in which they came, whether or not those before have failed. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when all calls so far are over. */
  get over(): Promise<unknown> {
    return this.#last;
  }

  /** Throws what the call throws. */
  next<Result>(call: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
