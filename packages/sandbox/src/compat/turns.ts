/** Calls that run one after another, in the order in which they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  next<Result>(call: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
