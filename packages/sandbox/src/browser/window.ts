/** Commands that were sent in one go, of which only so many are unanswered at a time. */
export class Window {
  readonly #most: number;
  readonly #sent: Promise<unknown>[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Sends one more, when there is room. Throws what an earlier one failed with. */
  async add(send: () => Promise<unknown>): Promise<void> {
    if (this.#sent.length >= this.#most) await this.#sent.shift();
    const answer = send();
    // The first failure is thrown where it is awaited; those after it are the same.
    answer.catch(() => undefined);
    this.#sent.push(answer);
  }

  /** Resolves when all are answered. */
  async answered(): Promise<void> {
    await Promise.all(this.#sent);
  }
}
