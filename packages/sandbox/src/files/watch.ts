import { watch as watchFolder, type FSWatcher } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { typeOf, type FileEntry } from './entry.js';
import { isCode } from './failure.js';
import { isPart } from './replacement.js';
import type { Tree } from './tree.js';
import { maxDepth, walk } from './walk.js';

/** `overflow`: changes were lost; list the folder again. */
export type Change =
  | { readonly type: 'created' | 'changed' | 'removed'; readonly path: string; readonly entry: FileEntry['type'] }
  | { readonly type: 'overflow' };

export interface WatchOptions {
  /** Includes subfolders. Default: true. */
  readonly recursive?: boolean;
  /** Default: 1,000; the system has its own limit. */
  readonly maxFolders?: number;
}

const maxWaiting = 10_000;

/**
 * Iterable; close it. Rapid changes of a file are merged. Watches folders, not paths: a link in a folder's place
 * reveals nothing of its target.
 */
export class Watch implements AsyncIterable<Change> {
  onClose: () => void = () => {};
  readonly #tree: Tree;
  readonly #options: Required<WatchOptions>;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #known = new Map<string, FileEntry['type']>();
  readonly #dirty = new Set<string>();
  readonly #changes: Change[] = [];
  #looking = false;
  #wake: () => void = () => {};
  #closed = false;

  private constructor(tree: Tree, options: Required<WatchOptions>) {
    this.#tree = tree;
    this.#options = options;
  }

  /** Resolves once changes are recorded. Throws `bad_input` for too many folders. */
  static async start(
    tree: Tree,
    names: readonly string[],
    { recursive = true, maxFolders = 1_000 }: WatchOptions,
  ): Promise<Watch> {
    const watch = new Watch(tree, { recursive, maxFolders });
    try {
      await watch.#add(names, false);
      if (watch.#changes.length > 0) throw tooMany(maxFolders);
    } catch (error) {
      watch.close();
      throw isCode(error, 'ENOSPC', 'EMFILE') ? tooMany(watch.#watchers.size, error) : error;
    }
    return watch;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    try {
      for (;;) {
        const change = this.#changes.shift();
        if (change !== undefined) yield change;
        else if (this.#closed) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.close();
    }
  }

  /** Stops; pending changes can still be iterated. */
  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#wake();
    this.onClose();
  }

  /** @param tell report existing entries as new. */
  async #add(names: readonly string[], tell: boolean): Promise<void> {
    const place = await this.#tree.find(names.join('/'), { follow: 'none' });
    try {
      if (place.entry?.stats.isDirectory() !== true) return;
      const folder = place.entry.handle;
      this.#watchOne(folder, names);
      for await (const met of walk(this.#tree, folder, this.#options.recursive ? maxDepth : 1)) {
        if (isPart(met.name)) continue;
        const below = [...names, ...met.names];
        const type = typeOf(met.stats);
        if (type === 'folder' && this.#options.recursive) this.#watchOne(met.handle, below);
        const path = below.join('/');
        if (tell && !this.#known.has(path)) this.#report({ type: 'created', path, entry: type });
        this.#known.set(path, type);
      }
    } finally {
      await place.close();
    }
  }

  #watchOne(folder: FileHandle, names: readonly string[]): void {
    const path = names.join('/');
    if (this.#closed || this.#watchers.has(path)) return;
    if (this.#watchers.size >= this.#options.maxFolders) return this.#report({ type: 'overflow' });
    const watcher = watchFolder(`/proc/self/fd/${folder.fd}`, { persistent: false }, (_, name) => {
      if (name === null) this.#report({ type: 'overflow' });
      else this.#mark([...names, name]);
    });
    watcher.on('error', () => this.#report({ type: 'overflow' }));
    this.#watchers.set(path, watcher);
  }

  #mark(names: readonly string[]): void {
    if (this.#closed || isPart(names.at(-1)!)) return;
    if (this.#dirty.size >= maxWaiting) return this.#report({ type: 'overflow' });
    this.#dirty.add(names.join('/'));
    if (!this.#looking) void this.#compareDirty();
  }

  async #compareDirty(): Promise<void> {
    this.#looking = true;
    for (const path of this.#dirty) {
      this.#dirty.delete(path);
      if (this.#closed) break;
      await this.#compare(path).catch(() => this.#report({ type: 'overflow' }));
    }
    this.#looking = false;
  }

  async #compare(path: string): Promise<void> {
    const names = path.split('/');
    const before = this.#known.get(path);
    const now = await this.#typeAt(names);
    // The folder may report itself, by the name it was opened with.
    if (before === undefined && now === undefined) return;
    if (before !== undefined && before !== now) {
      this.#forget(path);
      this.#report({ type: 'removed', path, entry: before });
    }
    if (now === undefined) return;
    if (before !== now) {
      this.#known.set(path, now);
      this.#report({ type: 'created', path, entry: now });
    } else if (now !== 'folder') this.#report({ type: 'changed', path, entry: now });
    if (now === 'folder' && before !== now && this.#options.recursive) await this.#add(names, true);
  }

  async #typeAt(names: readonly string[]): Promise<FileEntry['type'] | undefined> {
    try {
      const place = await this.#tree.find(names.join('/'), { follow: 'none' });
      await place.close();
      return place.entry === undefined ? undefined : typeOf(place.entry.stats);
    } catch (error) {
      if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    }
  }

  #forget(path: string): void {
    for (const known of this.#known.keys())
      if (known === path || known.startsWith(`${path}/`)) this.#known.delete(known);
    for (const [watched, watcher] of this.#watchers) {
      if (watched !== path && !watched.startsWith(`${path}/`)) continue;
      watcher.close();
      this.#watchers.delete(watched);
    }
  }

  #report(change: Change): void {
    if (this.#closed) return;
    const last = this.#changes.at(-1);
    if (last?.type === 'overflow') return;
    this.#changes.push(this.#changes.length < maxWaiting ? change : { type: 'overflow' });
    this.#wake();
  }
}

function tooMany(folders: number, cause?: unknown): GyreError {
  return new GyreError('bad_input', `cannot watch more than ${folders} folders`, {
    field: 'path',
    fix: 'watch a smaller folder, or not recursively',
    cause,
  });
}
