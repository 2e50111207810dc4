import { z } from 'zod';

/** `action` is any call; `browser` is the browser's stderr, `page` the page's console. */
export const LogSource = z.enum(['lease', 'action', 'error', 'process', 'browser', 'page']);
export type LogSource = z.infer<typeof LogSource>;

const LogEntry = z.strictObject({
  at: z.iso.datetime(),
  from: LogSource,
  text: z.string(),
  /** Consecutive repeats within the source. */
  times: z.int().positive(),
});
export type LogEntry = z.infer<typeof LogEntry>;

export const SessionLogs = z.strictObject({
  /** Oldest first. */
  entries: z.array(LogEntry),
  /** Number of dropped entries. */
  leftOut: z.int(),
});
export type SessionLogs = z.infer<typeof SessionLogs>;

/** Bounds each source separately: a noisy page drops only its own entries. */
const maxEntries: Readonly<Record<LogSource, number>> = {
  lease: 50,
  action: 300,
  error: 100,
  process: 100,
  browser: 200,
  page: 200,
};

const longest = 1_000;

interface StoredEntry {
  readonly seq: number;
  entry: LogEntry;
}

export class SessionLog {
  readonly #entries = new Map<LogSource, StoredEntry[]>();
  #seq = 0;
  #leftOut = 0;

  add(from: LogSource, text: string): void {
    const short = text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
    const sourceEntries = this.#entries.get(from) ?? [];
    this.#entries.set(from, sourceEntries);
    const last = sourceEntries.at(-1);
    if (last?.entry.text === short) {
      last.entry = { ...last.entry, times: last.entry.times + 1 };
      return;
    }
    sourceEntries.push({ seq: ++this.#seq, entry: { at: new Date().toISOString(), from, text: short, times: 1 } });
    if (sourceEntries.length > maxEntries[from]) {
      sourceEntries.shift();
      this.#leftOut += 1;
    }
  }

  read(): SessionLogs {
    const entries = [...this.#entries.values()].flat().sort((a, b) => a.seq - b.seq);
    return { entries: entries.map(({ entry }) => entry), leftOut: this.#leftOut };
  }
}
