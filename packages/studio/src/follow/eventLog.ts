/** An event with its place in the log. */
export interface Numbered<Event> {
  readonly id: number;
  readonly event: Event;
}

/** Earlier events than these are dropped. */
const defaultCapacity = 4_000;

/**
 * Numbers events, and keeps the newest for readers that are slow or come back. Numbers grow over restarts of the server.
 */
export class EventLog<Event> {
  readonly #capacity: number;
  readonly #events: Numbered<Event>[] = [];
  #first: number;
  #next: number;
  readonly #waiting = new Set<() => void>();
  #closed = false;

  constructor(capacity = defaultCapacity, first = Date.now() * 1_000) {
    this.#capacity = capacity;
    this.#first = first;
    this.#next = first;
  }

  /** Number of the newest event. */
  get last(): number {
    return this.#next - 1;
  }

  add(event: Event): void {
    this.#events.push({ id: this.#next++, event });
    // Removing one by one would move them all each time.
    if (this.#events.length >= 2 * this.#capacity) this.#events.splice(0, this.#events.length - this.#capacity);
    this.#wake();
  }

  /** Forgets all events: what happens until the next one is not known. */
  interrupt(): void {
    this.#events.length = 0;
    this.#next += 1;
    this.#first = this.#next;
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /**
   * Yields the events after a number. Where some are gone, says first how many, `null` if that is unknown.
   */
  async *read(
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<Numbered<Event> | { readonly id: number; readonly missed: number | null }> {
    let next = after + 1;
    if (after < this.#first - 1 || after >= this.#next) {
      next = this.#next;
      yield { id: next - 1, missed: null };
    }
    while (!signal.aborted && !this.#closed) {
      const oldest = this.#events[0]?.id ?? this.#next;
      if (next < oldest) {
        const missed = oldest - next;
        next = oldest;
        yield { id: next - 1, missed };
      }
      const numbered = this.#events[next - oldest];
      if (numbered) {
        next++;
        yield numbered;
      } else await this.#changed(signal);
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  async #changed(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
