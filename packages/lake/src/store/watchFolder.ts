import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface WatchOptions {
  /** Default true; false only polls, as where the system reports no changes. */
  readonly notified?: boolean;
  /** Default 20. */
  readonly settleMs?: number;
}

/** Network file systems report nothing, and no error either. */
const pollMs = { notified: 5_000, unnotified: 500 };

/**
 * Calls back with the names that changed in a folder: at most once in `settleMs`, and never while an earlier call runs.
 * A folder that does not exist yet is awaited. Returns a function that ends it.
 */
export function watchFolder(
  folder: string,
  onChange: (names: ReadonlySet<string>) => Promise<void> | void,
  { notified = true, settleMs = 20 }: WatchOptions = {},
): () => void {
  let watcher: FSWatcher | undefined;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let changed = new Set<string>();
  let known = new Map<string, string>();

  const tell = (name: string): void => {
    changed.add(name);
    if (!timer && !running) timer = setTimeout(() => void call(), settleMs);
  };
  const call = async (): Promise<void> => {
    timer = undefined;
    const names = changed;
    changed = new Set();
    running = true;
    try {
      if (!ended) await onChange(names);
    } finally {
      running = false;
      if (changed.size > 0 && !ended) timer = setTimeout(() => void call(), settleMs);
    }
  };
  const listen = (): void => {
    if (!notified || watcher || ended) return;
    try {
      watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name !== null) tell(name);
      });
      watcher.on('error', () => unlisten());
    } catch {
      unlisten();
    }
  };
  const unlisten = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const poll = async (isFirst: boolean): Promise<void> => {
    listen();
    const now = await fingerprints(folder);
    for (const name of new Set([...known.keys(), ...now.keys()])) {
      if (!isFirst && known.get(name) !== now.get(name)) tell(name);
    }
    known = now;
    if (ended) return;
    next = setTimeout(() => void poll(false), watcher ? pollMs.notified : pollMs.unnotified).unref();
  };
  let next: NodeJS.Timeout | undefined;
  void poll(true);
  return () => {
    ended = true;
    clearTimeout(timer);
    clearTimeout(next);
    unlisten();
  };
}

/** Returns sizes and times of a folder's files; empty if it does not exist. */
async function fingerprints(folder: string): Promise<Map<string, string>> {
  const names = await readdir(folder).catch(() => []);
  const marks = await Promise.all(
    names.map(async (name) => {
      const seen = await stat(join(folder, name)).catch(() => undefined);
      return [name, seen ? `${seen.size} ${seen.mtimeMs}` : 'gone'] as const;
    }),
  );
  return new Map(marks);
}
