/** Pipelines a bounded number of commands. */
export class InFlight {
  readonly #limit: number;
  readonly #answers: Promise<unknown>[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Sends when there is room. Throws an earlier command's error. */
  async add(send: () => unknown): Promise<void> {
    if (this.#answers.length >= this.#limit) await this.#answers.shift();
    const answer = Promise.resolve(send());
    // Awaiting the answer throws.
    answer.catch(() => undefined);
    this.#answers.push(answer);
  }

  async answered(): Promise<void> {
    await Promise.all(this.#answers.splice(0));
  }
}
