/** Orders calls: some run together, others alone. */
export class Turnstile {
  private readonly underWay = new Set<Promise<unknown>>();
  private lastAlone: Promise<unknown> = Promise.resolve();

  /** Runs when all earlier calls of `alone` are over. Throws what the work throws. */
  beside<T>(work: () => Promise<T>): Promise<T> {
    const done = this.lastAlone.then(work);
    const over: Promise<unknown> = settled(done).then(() => this.underWay.delete(over));
    this.underWay.add(over);
    return done;
  }

  /** Runs when all earlier calls are over; later ones wait for it. Throws what the work throws. */
  alone<T>(work: () => T | Promise<T>): Promise<T> {
    const done = Promise.all([this.lastAlone, ...this.underWay]).then(work);
    this.lastAlone = settled(done);
    return done;
  }
}

function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => undefined);
}
