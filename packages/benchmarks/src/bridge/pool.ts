import { GyreError } from '@gyre/protocol';

/** Takes no more calls once it is broken. */
export interface Pooled {
  readonly broken: boolean;
  close(): Promise<void>;
}

/** Official processes for parallel episodes, started on demand and used again. Broken ones are replaced. */
export class Pool<Item extends Pooled> {
  readonly #start: (place: number) => Promise<Item>;
  /** Numbers that no item has. */
  readonly #places: number[];
  readonly #placeOf = new Map<Item, number>();
  readonly #idle: Item[] = [];
  readonly #used = new Set<Item>();
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #closed = false;

  /**
   * @param size the most at a time
   * @param start is called with a number below the size that no other item has
   */
  constructor(size: number, start: (place: number) => Promise<Item>) {
    this.#free = size;
    this.#places = Array.from({ length: size }, (_, place) => place);
    this.#start = start;
  }

  /** Waits for a free one. Throws `infra` if it does not start, or once the pool is closed. */
  async acquire(): Promise<Item> {
    while (this.#free === 0 && !this.#closed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#closed) throw new GyreError('infra', 'the benchmark was closed', { part: 'benchmark' });
    this.#free--;
    try {
      const item = this.#idle.pop() ?? (await this.#open());
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
    if (item.broken || this.#closed) {
      await item.close();
      this.#places.push(this.#placeOf.get(item)!);
      this.#placeOf.delete(item);
    } else this.#idle.push(item);
    this.#freeOne();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#idle.splice(0), ...this.#used].map((item) => item.close()));
  }

  async #open(): Promise<Item> {
    const place = this.#places.shift()!;
    try {
      const item = await this.#start(place);
      this.#placeOf.set(item, place);
      return item;
    } catch (error) {
      this.#places.push(place);
      throw error;
    }
  }

  #freeOne(): void {
    this.#free++;
    this.#waiting.shift()?.();
  }
}
