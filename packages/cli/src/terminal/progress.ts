import { shownText } from '@gyre/protocol';

/** A progress line with the remaining time. */
export class Progress {
  readonly #label: string;

  readonly #startedAt: number;
  #lastAt = -Infinity;
  #lastLine = '';
  #isDrawn = false;
  #ended = false;
  readonly #stream: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  readonly #now: () => number;
  readonly #everyMs: number;
  readonly #from: number;

  /**
   * @param options.from fraction 0..1 done before, which the pace ignores
   * @param options.everyMs interval of lines outside terminals
   */
  constructor(
    label: string,
    options: {
      stream?: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
      now?: () => number;
      everyMs?: number;
      from?: number;
    } = {},
  ) {
    this.#label = label;

    this.#stream = options.stream ?? process.stderr;
    this.#now = options.now ?? (() => performance.now());
    this.#everyMs = options.everyMs ?? 5000;
    this.#from = options.from ?? 0;
    this.#startedAt = this.#now();
  }

  /** @param fraction 0..1 */
  update(fraction: number, note = ''): void {
    if (this.#ended) return;
    const now = this.#now();
    const share = Math.min(1, Math.max(0, fraction));
    if (now - this.#lastAt < (this.#stream.isTTY ? 100 : this.#everyMs) && share < 1) return;
    const line = shownText(this.#line(share, now - this.#startedAt, note));
    if (line === this.#lastLine) return;
    this.#lastAt = now;
    this.#lastLine = line;
    if (this.#stream.isTTY) {
      const width = (this.#stream.columns ?? 100) - 1;
      this.#stream.write(`\r\x1b[K${line.slice(0, width)}`);
      this.#isDrawn = true;
    } else this.#stream.write(`${line}\n`);
  }

  /** Clears the line until the next update. */
  clear(): void {
    if (!this.#isDrawn) return;
    this.#stream.write('\r\x1b[K');
    this.#isDrawn = false;
    this.#lastAt = -Infinity;
    this.#lastLine = '';
  }

  end(): void {
    if (this.#isDrawn) this.#stream.write('\n');
    this.#isDrawn = false;
    this.#ended = true;
  }

  #line(share: number, elapsedMs: number, note: string): string {
    const filled = Math.round(share * 20);
    const bar = '━'.repeat(filled) + '─'.repeat(20 - filled);
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    // The pace of the first moments is unreliable.
    const known = share - this.#from > 0.02 * (1 - this.#from) && elapsedMs > 1000;
    const time =
      share >= 1
        ? `in ${duration(elapsedMs)}`
        : share > 0.985
          ? 'finishing'
          : known
            ? `${duration((elapsedMs * (1 - share)) / (share - this.#from))} left`
            : `${duration(elapsedMs)} so far`;
    return [`${this.#label} ${bar} ${percent} %`, time, note].filter((part) => part !== '').join('  ');
  }
}

/** Formats `8 s`, `3:05 min`, `2:10 h`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (n: number) => String(n).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)} min`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)} h`;
}
