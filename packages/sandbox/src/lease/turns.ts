/** Runs calls one after another, also after one has failed. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when all calls so far have ended. */
  get over(): Promise<unknown> {
    return this.#last;
  }

  next<Result>(call: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
