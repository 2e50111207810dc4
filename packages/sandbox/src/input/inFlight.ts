/** Pipelines commands, with a limit of unanswered ones. */
export class InFlight {
  readonly #limit: number;
  readonly #answers: Promise<unknown>[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Sends a command when there is room. Throws what an earlier one failed with. */
  async add(send: () => unknown): Promise<void> {
    if (this.#answers.length >= this.#limit) await this.#answers.shift();
    const answer = Promise.resolve(send());
    // It is thrown where it is awaited.
    answer.catch(() => undefined);
    this.#answers.push(answer);
  }

  /** Resolves when all are answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#answers.splice(0));
  }
}
