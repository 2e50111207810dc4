import { shownText } from '@gyre/protocol';

/** One line with the progress and the remaining time of a job. A terminal rewrites it; other streams get a line every few seconds. */
export class Progress {
  private readonly startedAt: number;
  private lastAt = -Infinity;
  private lastLine = '';
  private shown = false;
  private ended = false;
  private readonly stream: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  private readonly now: () => number;
  private readonly everyMs: number;
  private readonly from: number;

  /**
   * @param options.now monotonic clock, in ms
   * @param options.from fraction 0..1 that was done before; the pace ignores it
   * @param options.everyMs minimum time between two lines if the stream is no terminal
   */
  constructor(
    private readonly label: string,
    options: {
      stream?: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
      now?: () => number;
      everyMs?: number;
      from?: number;
    } = {},
  ) {
    this.stream = options.stream ?? process.stderr;
    this.now = options.now ?? (() => performance.now());
    this.everyMs = options.everyMs ?? 5000;
    this.from = options.from ?? 0;
    this.startedAt = this.now();
  }

  /**
   * @param fraction 0..1 of the job
   * @param note a few words
   */
  update(fraction: number, note = ''): void {
    if (this.ended) return;
    const now = this.now();
    const share = Math.min(1, Math.max(0, fraction));
    if (now - this.lastAt < (this.stream.isTTY ? 100 : this.everyMs) && share < 1) return;
    const line = shownText(this.line(share, now - this.startedAt, note));
    if (line === this.lastLine) return;
    this.lastAt = now;
    this.lastLine = line;
    if (this.stream.isTTY) {
      const width = (this.stream.columns ?? 100) - 1;
      this.stream.write(`\r\x1b[K${line.slice(0, width)}`);
      this.shown = true;
    } else this.stream.write(`${line}\n`);
  }

  /** Clears the line for other output; the next update draws it again. */
  clear(): void {
    if (!this.shown) return;
    this.stream.write('\r\x1b[K');
    this.shown = false;
    this.lastAt = -Infinity;
    this.lastLine = '';
  }

  /** Keeps the last state on screen. Later updates do nothing. */
  end(): void {
    if (this.shown) this.stream.write('\n');
    this.shown = false;
    this.ended = true;
  }

  private line(share: number, elapsedMs: number, note: string): string {
    const filled = Math.round(share * 20);
    const bar = '━'.repeat(filled) + '─'.repeat(20 - filled);
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    // The pace of the first moments says too little.
    const known = share - this.from > 0.02 * (1 - this.from) && elapsedMs > 1000;
    const time =
      share >= 1
        ? `in ${duration(elapsedMs)}`
        : share > 0.985
          ? 'finishing'
          : known
            ? `${duration((elapsedMs * (1 - share)) / (share - this.from))} left`
            : `${duration(elapsedMs)} so far`;
    return [`${this.label} ${bar} ${percent} %`, time, note].filter((part) => part !== '').join('  ');
  }
}

/** `8 s`, `3:05 min`, `2:10 h`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (n: number) => String(n).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)} min`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)} h`;
}
