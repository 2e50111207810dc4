import { GyreError } from '@gyre/protocol';

/** Takes no more calls once it is broken. */
export interface Pooled {
  readonly broken: boolean;
  close(): Promise<void>;
}

/** Official processes for parallel episodes, started on demand and used again. Broken ones are replaced. */
export class Pool<Item extends Pooled> {
  readonly #start: () => Promise<Item>;
  readonly #idle: Item[] = [];
  readonly #used = new Set<Item>();
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #closed = false;

  /** @param size the most at a time */
  constructor(size: number, start: () => Promise<Item>) {
    this.#free = size;
    this.#start = start;
  }

  /** Waits for a free one. Throws `infra` if it does not start, or once the pool is closed. */
  async acquire(): Promise<Item> {
    while (this.#free === 0 && !this.#closed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#closed) throw new GyreError('infra', 'the benchmark was closed', { part: 'benchmark' });
    this.#free--;
    try {
      const item = this.#idle.pop() ?? (await this.#start());
      this.#used.add(item);
      return item;
    } catch (error) {
      this.#freeOne();
      throw error;
    }
  }

  /** Takes one back after an episode; ends a broken one. */
  async release(item: Item): Promise<void> {
    if (!this.#used.delete(item)) return;
    if (item.broken || this.#closed) await item.close();
    else this.#idle.push(item);
    this.#freeOne();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#idle.splice(0), ...this.#used].map((item) => item.close()));
  }

  #freeOne(): void {
    this.#free++;
    this.#waiting.shift()?.();
  }
}
