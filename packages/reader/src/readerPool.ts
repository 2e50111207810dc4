import { GyreError, type Reading } from '@gyre/protocol';
import type { ReaderOptions } from './openReader.js';
import type { Reader, Screen } from './reader.js';
import { ReaderThread } from './readerThread.js';

interface Member {
  readonly reader: ReaderThread;
  pending: number;
}

/** Readers in threads. An episode stays with the thread whose cache contains its lines, unless another one is idle. */
export class ReaderPool implements Reader {
  readonly #members: readonly Member[];
  /** The thread that made a reading. */
  readonly #origins = new WeakMap<Reading, Member>();

  private constructor(readers: readonly ReaderThread[]) {
    this.#members = readers.map((reader) => ({ reader, pending: 0 }));
  }

  /** Throws as `openReader` does. */
  static async open(size: number, options: ReaderOptions = {}): Promise<ReaderPool> {
    if (!Number.isInteger(size) || size < 1) {
      throw new GyreError('bad_input', `a pool of ${size} readers is impossible`, {
        field: 'size',
        fix: 'use 1 or more',
      });
    }
    const opened = await Promise.allSettled(Array.from({ length: size }, () => ReaderThread.open(options)));
    const readers = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failed = opened.find((result) => result.status === 'rejected');
    if (failed === undefined) return new ReaderPool(readers);
    await Promise.all(readers.map((reader) => reader.close()));
    throw failed.reason;
  }

  get name(): string {
    return this.#members[0]!.reader.name;
  }

  async read(screen: Screen, previous?: { readonly screen: Screen; readonly reading: Reading }): Promise<Reading> {
    const idlest = this.#members.reduce((best, member) => (member.pending < best.pending ? member : best));
    const origin = previous && this.#origins.get(previous.reading);
    const member = origin !== undefined && (origin.pending === 0 || idlest.pending > 0) ? origin : idlest;
    member.pending++;
    try {
      const reading = await member.reader.read(screen, previous);
      this.#origins.set(reading, member);
      return reading;
    } finally {
      member.pending--;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ reader }) => reader.close()));
  }
}
