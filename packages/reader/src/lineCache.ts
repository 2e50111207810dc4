import type { RecognisedLine } from './lineReader.js';

/** Stores recognised lines by the key of their ink; evicts the least recently used one. Centres are relative to the ink. */
export class LineCache {
  readonly #lines = new Map<string, RecognisedLine>();
  readonly #capacity: number;
  #hits = 0;
  #misses = 0;

  /** @param capacity In lines; one takes about 1 kB. */
  constructor(capacity = 20_000) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#lines.size;
  }

  get hits(): number {
    return this.#hits;
  }

  get misses(): number {
    return this.#misses;
  }

  get(key: string): RecognisedLine | undefined {
    const line = this.#lines.get(key);
    if (line === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    // A Map iterates in the order of insertion: the last is the most recent.
    this.#lines.delete(key);
    this.#lines.set(key, line);
    return line;
  }

  set(key: string, line: RecognisedLine): void {
    this.#lines.delete(key);
    this.#lines.set(key, line);
    if (this.#lines.size <= this.#capacity) return;
    const [oldest] = this.#lines.keys();
    this.#lines.delete(oldest!);
  }
}
