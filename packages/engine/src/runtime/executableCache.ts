import { GyreError } from '@gyre/protocol';
import { compile, type CompileOptions, type Executable } from './executable.js';
import type { Tensor } from '../tensor/graph.js';

export interface CacheOptions extends CompileOptions {
  /** Default 64. */
  count?: number;
  /** Estimated bytes. Default: unlimited. */
  bytes?: number;
}

interface Entry {
  readonly key: string;
  readonly executable: Promise<Executable>;
  bytes: number;
  users: number;
}

/** An LRU cache that never evicts the newest executable or one in use. Failed builds are retried on the next use. */
export class ExecutableCache {
  readonly #options: CompileOptions;
  readonly #count: number;
  readonly #bytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #working = new Set<Promise<unknown>>();
  readonly #releasing = new Set<Promise<void>>();
  #closed = false;

  constructor({ count = 64, bytes = Infinity, ...options }: CacheOptions = {}) {
    for (const [field, bound] of Object.entries({ count, bytes })) {
      if (bound > 0) continue;
      throw new GyreError('bad_input', `the cache limit ${field} of ${bound} is invalid`, {
        field,
        fix: 'use a number above 0',
      });
    }
    this.#count = count;
    this.#bytes = bytes;
    this.#options = options;
  }

  get usage(): { count: number; bytes: number } {
    const entries = [...this.#entries.values()];
    return { count: entries.length, bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** Builds the executable on first use and pins it during `work`. */
  async use<T>(
    key: string,
    build: () => Record<string, Tensor>,
    work: (executable: Executable) => T | Promise<T>,
  ): Promise<T> {
    const entry = this.#entry(key, build);
    entry.users++;
    const working = entry.executable.then(work);
    this.#working.add(working);
    try {
      return await working;
    } finally {
      this.#working.delete(working);
      entry.users--;
      if (entry.users === 0 && this.#entries.get(key) !== entry) this.#release(entry);
      this.#shrink();
    }
  }

  /** Releases each executable after its work in progress. */
  clear(): void {
    for (const entry of this.#entries.values()) this.#drop(entry);
  }

  /** Like `clear`; later uses throw. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#shrink();
    while (this.#entries.size > 0 || this.#working.size > 0 || this.#releasing.size > 0)
      await Promise.allSettled([...this.#working, ...this.#releasing]);
  }

  #entry(key: string, build: () => Record<string, Tensor>): Entry {
    if (this.#closed) {
      throw new GyreError('bad_input', `cannot get ${key}: the cache is closed`, {
        field: 'key',
        fix: 'close the engine after its last call',
      });
    }
    const existing = this.#entries.get(key);
    if (existing) {
      this.#entries.delete(key);
      this.#entries.set(key, existing);
      return existing;
    }
    const executable = Promise.resolve().then(() => compile(build(), this.#options));
    const entry: Entry = { key, executable, bytes: 0, users: 0 };
    this.#entries.set(key, entry);
    executable.then(
      ({ bytes }) => {
        entry.bytes = bytes;
        this.#shrink();
      },
      () => {
        this.#forget(entry);
      },
    );
    this.#shrink();
    return entry;
  }

  #shrink(): void {
    const entries = [...this.#entries.values()];
    for (const entry of this.#closed ? entries : entries.slice(0, -1)) {
      const { count, bytes } = this.usage;
      if (!this.#closed && count <= this.#count && bytes <= this.#bytes) return;
      if (entry.users === 0) this.#drop(entry);
    }
  }

  #drop(entry: Entry): void {
    this.#forget(entry);
    if (entry.users === 0) this.#release(entry);
  }

  #release(entry: Entry): void {
    const released = entry.executable
      .then((executable) => executable.release())
      // Already reported to its users.
      .catch(() => undefined)
      .finally(() => this.#releasing.delete(released));
    this.#releasing.add(released);
  }

  #forget(entry: Entry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }
}
