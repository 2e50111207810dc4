/** A readers-writer lock in call order. */
export class ReadWriteLock {
  readonly #underWay = new Set<Promise<unknown>>();
  #lastAlone: Promise<unknown> = Promise.resolve();

  shared<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastAlone.then(work);
    const over: Promise<unknown> = settled(done).then(() => this.#underWay.delete(over));
    this.#underWay.add(over);
    return done;
  }

  exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    const done = Promise.all([this.#lastAlone, ...this.#underWay]).then(work);
    this.#lastAlone = settled(done);
    return done;
  }
}

function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => undefined);
}
