import { GyreError } from '@gyre/protocol';
import type { NewEvent, SandboxEvent } from './event.js';

export interface EventsOptions {
  readonly session?: string;
  /** Buffer of a slow reader; `events.missed` counts the dropped. Default 1000. */
  readonly capacity?: number;
  readonly signal?: AbortSignal;
}

export class EventStream {
  readonly #readers = new Set<Reader>();
  #seq = 0;
  #closed = false;

  emit(event: NewEvent): void {
    const numbered = { ...event, seq: ++this.#seq, at: new Date().toISOString() };
    for (const reader of this.#readers) reader.hear(numbered);
  }

  /** Yields new events until `signal` aborts, the reader returns, or the stream closes. */
  read(options: EventsOptions = {}): AsyncIterableIterator<SandboxEvent, void> {
    const { capacity = 1_000, session, signal } = options;
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new GyreError('bad_input', `invalid capacity: ${capacity}`, {
        field: 'capacity',
        fix: 'use a whole number above 0',
      });
    }
    const reader = new Reader(capacity, session, () => this.#readers.delete(reader));
    if (this.#closed || signal?.aborted) reader.end();
    else {
      this.#readers.add(reader);
      signal?.addEventListener('abort', () => reader.end(), { once: true });
    }
    return reader;
  }

  /** Readers still get buffered events. */
  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader.end();
  }
}

class Reader implements AsyncIterableIterator<SandboxEvent, void> {
  readonly #capacity: number;
  readonly #session: string | undefined;
  readonly #leave: () => void;
  readonly #events: SandboxEvent[] = [];
  #missed = 0;
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(capacity: number, session: string | undefined, leave: () => void) {
    this.#capacity = capacity;
    this.#session = session;
    this.#leave = leave;
  }

  hear(event: SandboxEvent): void {
    if (this.#session !== undefined && !('session' in event && event.session === this.#session)) return;
    if (this.#events.length === this.#capacity) {
      this.#events.shift();
      this.#missed += 1;
    }
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#leave();
    this.#wake();
  }

  async next(): Promise<IteratorResult<SandboxEvent, void>> {
    while (this.#events.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        const before = this.#wake;
        // Several calls may wait.
        this.#wake = () => {
          before();
          resolve();
        };
      });
      this.#wake = () => undefined;
    }
    const [first] = this.#events;
    if (first === undefined) return { done: true, value: undefined };
    if (this.#missed > 0) {
      const count = this.#missed;
      this.#missed = 0;
      return { done: false, value: { type: 'events.missed', seq: first.seq, at: first.at, count } };
    }
    this.#events.shift();
    return { done: false, value: first };
  }

  return(): Promise<IteratorResult<SandboxEvent, void>> {
    this.#events.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
