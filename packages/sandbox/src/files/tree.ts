import { constants, type Stats } from 'node:fs';
import { chown, mkdir, open, readlink, type FileHandle } from 'node:fs/promises';
import { GyreError } from '@gyre/protocol';
import { errno, isCode, refusal } from './failure.js';
import { namesOf } from './path.js';

/** O_PATH, which Node does not name: opens without reading or following. Same on all of Node's Linux architectures. */
const pathOnly = 0o10000000;

const maxLinks = 40;

/** A resolved path, held open: renames and swaps do not affect it. */
export interface Place {
  /** The home's is itself. */
  readonly folder: FileHandle;
  readonly name: string;
  /** From the home, without links and `..`. */
  readonly names: readonly string[];
  /** Undefined if nothing is there. Opened by O_PATH: `reopen` it for reading. */
  readonly entry: { readonly handle: FileHandle; readonly stats: Stats } | undefined;
  close(): Promise<void>;
}

export interface FindOptions {
  readonly follow?: 'all' | 'before' | 'none';
  readonly create?: boolean;
  readonly field?: string;
}

/** Stays inside the open folder, even if it moves. */
export function pathIn(folder: FileHandle, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`;
}

/** Opens the same file for reading, whatever its path now leads to. */
export function reopen(handle: FileHandle, flags = constants.O_RDONLY): Promise<FileHandle> {
  return open(`/proc/self/fd/${handle.fd}`, flags | constants.O_NONBLOCK | constants.O_NOCTTY);
}

/**
 * Walks a folder that a session writes to. Each name is opened in its parent without following links, so no renaming or
 * relinking, at any time, leads out. Links are resolved here, inside the home. Needs /proc.
 */
export class Tree {
  private constructor(
    readonly root: FileHandle,
    readonly home: string,
    /** Owns what is created. */
    readonly owner: { readonly uid: number; readonly gid: number },
  ) {}

  /** Throws `missing` without /proc, `bad_input` if the root is no folder. */
  static async open(root: string, home: string): Promise<Tree> {
    const handle = await open(root, pathOnly | constants.O_DIRECTORY).catch((cause: unknown) => {
      throw refusal(root, 'is not a folder', 'use an existing folder', 'root', cause);
    });
    const { uid, gid } = await handle.stat();
    const works = await open(pathIn(handle, '.'), pathOnly | constants.O_DIRECTORY).catch(() => undefined);
    if (works === undefined) {
      await handle.close();
      throw new GyreError('missing', 'files need /proc on Linux', { fix: 'run gyre on Linux, with /proc mounted' });
    }
    await works.close();
    return new Tree(handle, home, { uid, gid });
  }

  /**
   * Resolves a path, whose last name may be missing; `create` makes its parents. `follow`: all links, those before the
   * last name, or none. Throws `bad_input` for paths that lead out, and file-system errors.
   */
  async find(path: string, { follow = 'all', create = false, field = 'path' }: FindOptions = {}): Promise<Place> {
    const folders: { handle: FileHandle; name: string }[] = [{ handle: this.root, name: '.' }];
    const leave = async (): Promise<void> => {
      const { handle } = folders.pop()!;
      if (handle !== this.root) await handle.close();
    };
    const close = async (): Promise<void> => {
      while (folders.length > 0) await leave();
    };
    let names = namesOf(path, this.home, field);
    let links = 0;
    try {
      while (names.length > 0) {
        const [name, ...rest] = names as [string, ...string[]];
        names = rest;
        if (name === '..') {
          if (folders.length === 1) throw outside(path, field);
          await leave();
          continue;
        }
        const folder = folders.at(-1)!.handle;
        const last = rest.length === 0;
        const handle = await this.#open(folder, name, create && !last);
        if (handle === undefined) {
          if (!last) throw errno('ENOENT');
          return { folder, name, names: trail(folders, name), entry: undefined, close };
        }
        const stats = await handle.stat();
        if (stats.isSymbolicLink() && (last ? follow === 'all' : follow !== 'none')) {
          await handle.close();
          if ((links += 1) > maxLinks) throw refusal(path, 'is a loop of symbolic links', 'remove one of them', field);
          const target = await readlink(pathIn(folder, name)).catch((error: unknown) => {
            // Swapped just now: look again.
            if (isCode(error, 'EINVAL', 'ENOENT')) return name;
            throw error;
          });
          if (target.startsWith('/')) while (folders.length > 1) await leave();
          names = [...linked(target, this.home, path, field), ...names];
        } else if (stats.isDirectory()) {
          folders.push({ handle, name });
        } else if (last) {
          const closeAll = (): Promise<void> => handle.close().finally(close);
          return { folder, name, names: trail(folders, name), entry: { handle, stats }, close: closeAll };
        } else {
          await handle.close();
          throw errno('ENOTDIR');
        }
      }
      const { handle, name } = folders.at(-1)!;
      const folder = folders.at(-2)?.handle ?? this.root;
      return { folder, name, names: trail(folders), entry: { handle, stats: await handle.stat() }, close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Throws for links too. */
  enter(folder: FileHandle, name: string): Promise<FileHandle> {
    return open(pathIn(folder, name), pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  }

  openPath(folder: FileHandle, name: string): Promise<FileHandle> {
    return open(pathIn(folder, name), pathOnly | constants.O_NOFOLLOW);
  }

  async make(folder: FileHandle, name: string): Promise<FileHandle> {
    await mkdir(pathIn(folder, name)).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    });
    const created = await this.enter(folder, name);
    try {
      await this.giveToOwner(created);
    } catch (error) {
      await created.close();
      throw error;
    }
    return created;
  }

  /** Changes the owner, since root may serve sessions of other users. */
  async giveToOwner(handle: FileHandle): Promise<void> {
    const { uid, gid } = await handle.stat();
    if (process.getuid?.() !== 0 || uid !== 0 || (uid === this.owner.uid && gid === this.owner.gid)) return;
    await chown(`/proc/self/fd/${handle.fd}`, this.owner.uid, this.owner.gid);
  }

  get isOpen(): boolean {
    return this.root.fd >= 0;
  }

  async close(): Promise<void> {
    if (this.isOpen) await this.root.close();
  }

  async #open(folder: FileHandle, name: string, create: boolean): Promise<FileHandle | undefined> {
    try {
      return await this.openPath(folder, name);
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
      return create ? this.make(folder, name) : undefined;
    }
  }
}

function linked(target: string, home: string, path: string, field: string): string[] {
  try {
    return namesOf(target, home, field);
  } catch {
    throw outside(path, field);
  }
}

function outside(path: string, field: string): GyreError {
  return refusal(path, 'leads outside the home', 'use paths and links inside the home', field);
}

function trail(folders: readonly { name: string }[], ...last: string[]): string[] {
  return [...folders.slice(1).map(({ name }) => name), ...last];
}
