/** Calls that may run beside each other and calls that must be alone, in the order in which they came. */
export class Turnstile {
  private readonly underWay = new Set<Promise<unknown>>();
  private lastAlone: Promise<unknown> = Promise.resolve();

  /** Starts when all calls that must be alone and came before are over. Throws what the work throws. */
  beside<T>(work: () => Promise<T>): Promise<T> {
    const done = this.lastAlone.then(work);
    const over: Promise<unknown> = settled(done).then(() => this.underWay.delete(over));
    this.underWay.add(over);
    return done;
  }

  /** Starts when all calls that came before are over; what comes after waits for it. Throws what the work throws. */
  alone<T>(work: () => T | Promise<T>): Promise<T> {
    const done = Promise.all([this.lastAlone, ...this.underWay]).then(work);
    this.lastAlone = settled(done);
    return done;
  }
}

function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => undefined);
}
