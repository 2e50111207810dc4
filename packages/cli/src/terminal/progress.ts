import { shownText } from '@gyre/protocol';

/** One line that says how far a job is and when it will be done. On a terminal it is rewritten; elsewhere it is printed every few seconds. */
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
   * @param options.now milliseconds on a clock that does not jump.
   * @param options.from what of the job, 0..1, was done before: its pace says nothing of the rest.
   * @param options.everyMs least time between two lines where the stream is no terminal.
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
   * @param fraction 0..1 of the job that is done.
   * @param note what is going on or how well it goes, in a few words.
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

  /** Makes room for another line; the next update draws the progress line again. */
  clear(): void {
    if (!this.shown) return;
    this.stream.write('\r\x1b[K');
    this.shown = false;
    this.lastAt = -Infinity;
    this.lastLine = '';
  }

  /** Leaves the last state standing. Later updates do nothing. */
  end(): void {
    if (this.shown) this.stream.write('\n');
    this.shown = false;
    this.ended = true;
  }

  private line(share: number, elapsedMs: number, note: string): string {
    const filled = Math.round(share * 20);
    const bar = '━'.repeat(filled) + '─'.repeat(20 - filled);
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    // A guess from the first moments would be wild.
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
