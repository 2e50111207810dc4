import { constants, type Stats } from 'node:fs';
import { rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import { copyFile, copyFolder, emptyFolder } from './copying.js';
import { edited, type Edit } from './edit.js';
import { entryOf, type FileEntry } from './entry.js';
import { errno, failure, refusal } from './failure.js';
import { readLines, readRange } from './reading.js';
import { replace, special } from './replacement.js';
import { search, type SearchQuery, type SearchResult } from './search.js';
import { linesOf, textOf, type BinaryFile, type TextFile } from './text.js';
import { pathIn, reopen, Tree, type FindOptions, type Place } from './tree.js';
import { maxDepth, walk } from './walk.js';
import { Watch, type WatchOptions } from './watch.js';

export interface FilesOptions {
  /** The root's path inside. Default: the root. */
  readonly home?: string;
  /**
   * Allows reading files with several hard links, of which one may be outside the root unless that is its own mount.
   * Default: false.
   */
  readonly hardLinks?: boolean;
  /** Bytes per `read`, `readBytes` and `edit`. Default: 10 MiB. */
  readonly maxRead?: number;
  /** Bytes per `write`. Default: 64 MiB. */
  readonly maxWrite?: number;
  /** Bytes per `upload`, `download` and `copy`. Default: 4 GiB. */
  readonly maxTransfer?: number;
}

export interface Listing {
  /** Folders precede their contents; otherwise unordered. */
  readonly entries: readonly FileEntry[];
  readonly truncated: boolean;
}

type Found = NonNullable<Place['entry']>;

const maxEntries = 10_000;

/**
 * Accesses a session's files from outside. Paths are relative to its home, or absolute inside it. No path leads out,
 * even if the session swaps links, names and folders meanwhile. Throws `bad_input`, or `storage` if the disk is full or
 * fails.
 */
export class Files {
  readonly #tree: Tree;
  readonly #options: Required<Omit<FilesOptions, 'home'>>;

  readonly #watches = new Set<Watch>();

  private constructor(tree: Tree, options: FilesOptions) {
    this.#tree = tree;
    this.#options = { hardLinks: false, maxRead: 10 * 2 ** 20, maxWrite: 2 ** 26, maxTransfer: 2 ** 32, ...options };
  }

  static async open(root: string, options: FilesOptions = {}): Promise<Files> {
    return new Files(await Tree.open(root, options.home ?? root), options);
  }

  async read(path: string, { from, to }: { from?: number; to?: number } = {}): Promise<TextFile | BinaryFile> {
    for (const [field, line] of Object.entries({ from, to })) {
      if (line === undefined || (Number.isInteger(line) && line >= 1)) continue;
      throw new GyreError('bad_input', `invalid ${field}: ${line}`, { field, fix: 'use a line number from 1' });
    }
    return this.#reading(path, async (file, { size }) => {
      const part = from !== undefined || to !== undefined;
      if (!part && size > this.#options.maxRead) throw this.#tooBig(path, size, 'read lines of it, or download it');
      const read = await readLines(file, size, from ?? 1, to ?? Infinity, this.#options.maxRead);
      if (read === 'too big') throw this.#tooBig(path, size, 'read fewer lines');
      const text = textOf(read.bytes);
      if (text === undefined) return { binary: true, bytes: size };
      const lines = linesOf(text).length;
      const first = from ?? 1;
      return { binary: false, text, lines: { from: first, to: first + lines - 1, total: read.total }, bytes: size };
    });
  }

  async readBytes(
    path: string,
    { offset = 0, length }: { offset?: number; length?: number } = {},
  ): Promise<Uint8Array> {
    natural('offset', offset);
    if (length !== undefined) natural('length', length);
    return this.#reading(path, async (file, { size }) => {
      const requested = Math.max(0, Math.min(length ?? Infinity, size - offset));
      if (requested > this.#options.maxRead) throw this.#tooBig(path, requested, 'read it in parts, or download it');
      return readRange(file, offset, requested);
    });
  }

  /**
   * Replaces a whole file atomically. `append` extends it, `create` refuses to replace one, `folders` creates missing
   * parents. `permissions` applies unless appending to an existing file.
   */
  async write(
    path: string,
    data: string | Uint8Array,
    {
      mode = 'replace',
      folders = false,
      permissions,
    }: { mode?: 'replace' | 'create' | 'append'; folders?: boolean; permissions?: number } = {},
  ): Promise<FileEntry> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const { maxWrite } = this.#options;
    if (bytes.length > maxWrite) {
      throw new GyreError('bad_input', `cannot write ${bytes.length} bytes: the limit is ${maxWrite}`, {
        field: 'data',
        fix: 'use upload instead',
      });
    }
    return this.#at(path, { create: folders }, async (place) => {
      if (mode === 'append' && place.entry !== undefined) {
        const file = await reopen(this.#file(path, place).handle, constants.O_WRONLY | constants.O_APPEND);
        await file.writeFile(bytes).finally(() => file.close());
      } else {
        const how = { path, exclusive: mode === 'create', mode: permissions };
        await replace(this.#tree, place, how, (file) => file.writeFile(bytes));
      }
      return this.#entry(place);
    });
  }

  /** Returns the first new line. Throws `bad_input` if the file was changed meanwhile. */
  async edit(path: string, edit: Edit): Promise<{ readonly line: number }> {
    return this.#at(path, {}, async (place) => {
      const before = await this.#readWhole(path, place);
      const text = textOf(before);
      if (text === undefined) throw refusal(path, 'is not text', 'read and write it as bytes');
      const after = edited(text, edit);
      const bytes = Buffer.from(after.text);
      if (bytes.length > this.#options.maxRead) throw this.#tooBig(path, bytes.length, 'insert less', 'edit');
      await replace(this.#tree, place, { path }, async (file) => {
        await file.writeFile(bytes);
        if (!(await this.#unchanged(place))) {
          throw refusal(path, 'was changed in the meantime', 'read it again, then edit it');
        }
      });
      return { line: after.line };
    });
  }

  async list(path = '.', { depth = 1, limit = 1_000 }: { depth?: number; limit?: number } = {}): Promise<Listing> {
    bounded('depth', depth, maxDepth);
    bounded('limit', limit, maxEntries);
    return this.#at(path, {}, async (place) => {
      const { handle } = this.#folder(path, place);
      const entries: FileEntry[] = [];
      for await (const { folder, name, names, stats } of walk(this.#tree, handle, depth)) {
        if (entries.length === limit) return { entries, truncated: true };
        entries.push(await entryOf(folder, name, [...place.names, ...names], stats));
      }
      return { entries, truncated: false };
    });
  }

  /** Does not follow a final link. */
  async stat(path: string): Promise<FileEntry> {
    return this.#at(path, { follow: 'before' }, async (place) => {
      const { stats } = this.#existing(path, place);
      return entryOf(place.folder, place.name, place.names, stats);
    });
  }

  /** Finds files by name, or lines by pattern. Returns the matches so far after `timeoutMs`. */
  async search(query: SearchQuery): Promise<SearchResult> {
    const { maxRead, hardLinks } = this.#options;
    return this.#at(query.path ?? '.', {}, (place) => {
      const { handle } = this.#folder(query.path ?? '.', place);
      return search({ root: `/proc/self/fd/${handle.fd}`, names: place.names, maxFile: maxRead, hardLinks }, query);
    });
  }

  async watch(path = '.', options: WatchOptions = {}): Promise<Watch> {
    return this.#at(path, {}, async (place) => {
      this.#folder(path, place);
      const watch = await Watch.start(this.#tree, place.names, options);
      this.#watches.add(watch);
      watch.onClose = () => this.#watches.delete(watch);
      return watch;
    });
  }

  /** Writes a file that appears once complete. Throws `bad_input` above `maxBytes`. */
  async upload(
    path: string,
    source: AsyncIterable<Uint8Array>,
    { folders = false, maxBytes = this.#options.maxTransfer }: { folders?: boolean; maxBytes?: number } = {},
  ): Promise<FileEntry> {
    return this.#at(path, { create: folders }, async (place) => {
      await replace(this.#tree, place, { path }, async (file) => {
        let bytes = 0;
        for await (const part of unbroken(source)) {
          bytes += part.length;
          if (bytes > Math.min(maxBytes, this.#options.maxTransfer))
            throw this.#tooBig(path, bytes, 'send less', 'source');
          await file.writeFile(part);
        }
      });
      return this.#entry(place);
    });
  }

  /** Streams a file. Destroy the stream if you do not read it to the end. */
  async download(path: string): Promise<{ readonly stream: Readable; readonly bytes: number }> {
    return this.#at(path, {}, async (place) => {
      const { handle, stats } = this.#file(path, place);
      if (stats.size > this.#options.maxTransfer) throw this.#tooBig(path, stats.size, 'use the shell to split it');
      if (stats.size === 0) return { stream: Readable.from([]), bytes: 0 };
      const file = await reopen(handle);
      return { stream: file.createReadStream({ start: 0, end: stats.size - 1 }), bytes: stats.size };
    });
  }

  async createFolder(path: string): Promise<FileEntry> {
    return this.#at(path, { create: true }, async (place) => {
      if (place.entry === undefined) {
        await (await this.#tree.make(place.folder, place.name)).close();
      } else if (!place.entry.stats.isDirectory()) {
        throw errno('EEXIST');
      }
      return this.#entry(place);
    });
  }

  /** Moves a link itself, not its target. `replace` allows overwriting a file. */
  async move(from: string, to: string, { replace = false }: { replace?: boolean } = {}): Promise<FileEntry> {
    return this.#at(from, { follow: 'before', field: 'from' }, async (source) => {
      this.#existing(from, source);
      if (source.names.length === 0) throw refusal(from, 'is the home folder itself', 'move its contents', 'from');
      return this.#at(to, { follow: 'before', field: 'to' }, async (target) => {
        if (target.entry !== undefined && !replace) throw errno('EEXIST');
        await rename(pathIn(source.folder, source.name), pathIn(target.folder, target.name));
        return this.#entry(target);
      });
    });
  }

  /** Copies links as links, special files not at all. */
  async copy(from: string, to: string, { replace: over = false }: { replace?: boolean } = {}): Promise<FileEntry> {
    return this.#at(from, { field: 'from' }, async (source) =>
      this.#at(to, { follow: 'before', field: 'to' }, async (target) => {
        const { stats } = this.#existing(from, source);
        if (target.entry !== undefined && (!over || stats.isDirectory())) throw errno('EEXIST');
        const copying = {
          tree: this.#tree,
          path: from,
          budget: { bytes: this.#options.maxTransfer, entries: 10 * maxEntries },
          check: (file: Found) => this.#checkFile(from, file),
        };
        if (!stats.isDirectory()) await copyFile(copying, source.entry!, target);
        else {
          if (source.names.every((name, index) => target.names[index] === name)) throw errno('EINVAL');
          await copyFolder(copying, source.entry!.handle, target);
        }
        return this.#entry(target);
      }),
    );
  }

  /** Removes a folder with contents only if `recursive`. */
  async remove(path: string, { recursive = false }: { recursive?: boolean } = {}): Promise<void> {
    await this.#at(path, { follow: 'before' }, async (place) => {
      const { handle, stats } = this.#existing(path, place);
      if (place.names.length === 0) throw refusal(path, 'is the home folder itself', 'remove its contents');
      if (stats.isDirectory() && recursive) await emptyFolder(this.#tree, path, handle);
      await (stats.isDirectory() ? rmdir : unlink)(pathIn(place.folder, place.name));
    });
  }

  close(): Promise<void> {
    for (const watch of [...this.#watches]) watch.close();
    return this.#tree.close();
  }

  async #at<Result>(path: string, options: FindOptions, use: (place: Place) => Promise<Result>): Promise<Result> {
    if (!this.#tree.isOpen)
      throw new GyreError('infra', 'the files were closed', { part: 'machine', fix: 'lease another session' });
    try {
      const place = await this.#tree.find(path, options);
      try {
        return await use(place);
      } finally {
        await place.close();
      }
    } catch (error) {
      throw failure(error, path, options.field);
    }
  }

  #reading<Result>(path: string, use: (file: FileHandle, stats: Stats) => Promise<Result>): Promise<Result> {
    return this.#at(path, {}, async (place) => {
      const { handle, stats } = this.#file(path, place);
      const file = await reopen(handle);
      try {
        return await use(file, stats);
      } finally {
        await file.close();
      }
    });
  }

  #existing(path: string, place: Place): Found {
    if (place.entry === undefined) throw errno('ENOENT');
    return place.entry;
  }

  #folder(path: string, place: Place): Found {
    const entry = this.#existing(path, place);
    if (!entry.stats.isDirectory()) throw refusal(path, 'is not a folder', 'use the path of a folder');
    return entry;
  }

  #file(path: string, place: Place): Found {
    const entry = this.#existing(path, place);
    this.#checkFile(path, entry);
    return entry;
  }

  #checkFile(path: string, { stats }: Found): void {
    if (stats.isDirectory()) throw errno('EISDIR');
    if (!stats.isFile()) throw special(path);
    if (stats.nlink > 1 && !this.#options.hardLinks) {
      throw refusal(
        path,
        `has ${stats.nlink} hard links, some of which may be outside the home`,
        'use the shell to copy it, then read the copy',
      );
    }
  }

  async #readWhole(path: string, place: Place): Promise<Uint8Array> {
    const { handle, stats } = this.#file(path, place);
    if (stats.size > this.#options.maxRead) throw this.#tooBig(path, stats.size, 'use the shell to change it');
    const file = await reopen(handle);
    try {
      return await readRange(file, 0, stats.size);
    } finally {
      await file.close();
    }
  }

  async #unchanged(place: Place): Promise<boolean> {
    const handle = await this.#tree.openPath(place.folder, place.name).catch(() => undefined);
    if (handle === undefined) return false;
    try {
      const now = await handle.stat();
      const { ino, size, mtimeMs } = place.entry!.stats;
      return now.ino === ino && now.size === size && now.mtimeMs === mtimeMs;
    } finally {
      await handle.close();
    }
  }

  async #entry(place: Place): Promise<FileEntry> {
    const handle = await this.#tree.openPath(place.folder, place.name);
    try {
      return await entryOf(place.folder, place.name, place.names, await handle.stat());
    } finally {
      await handle.close();
    }
  }

  #tooBig(path: string, bytes: number, fix: string, field = 'path'): GyreError {
    return refusal(path, `is too big: ${bytes} bytes`, fix, field);
  }
}

/** Marks the source's errors, to tell them from the file system's. */
async function* unbroken(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (cause) {
    throw new GyreError('infra', 'the upload was interrupted', {
      part: 'machine',
      field: 'source',
      fix: 'send it again',
      cause,
    });
  }
}

function natural(field: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new GyreError('bad_input', `invalid ${field}: ${value}`, { field, fix: 'use a whole number from 0' });
}

function bounded(field: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw new GyreError('bad_input', `invalid ${field}: ${value}`, { field, fix: `use a number from 1 to ${max}` });
}
