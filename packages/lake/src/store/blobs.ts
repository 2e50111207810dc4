import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ContentHash, GyreError } from '@gyre/protocol';
import { type FileSystem, codeOf, isMissing, makeFolder, storageError, syncFolder, writeWhole } from './fileSystem.js';

/** Kinds of content, by the ending of their files. */
const nouns = { png: 'screenshot', webm: 'recording' } as const;

/** Stores screenshots or recordings by content, as `ab/abcdef....png`. */
export class Blobs {
  readonly #fs: FileSystem;
  readonly #ending: keyof typeof nouns;
  readonly #folder: string;
  readonly #aside: () => Promise<string>;
  readonly #sync: boolean;

  readonly #known = new Map<ContentHash, { written: Promise<void>; until: number }>();

  constructor(fs: FileSystem, ending: keyof typeof nouns, folder: string, aside: () => Promise<string>, sync: boolean) {
    this.#fs = fs;
    this.#ending = ending;
    this.#folder = folder;
    this.#aside = aside;
    this.#sync = sync;
  }

  /** A hash spares hashing known content; new content is verified. */
  async put(bytes: Uint8Array, hash?: ContentHash): Promise<ContentHash> {
    const name = hash ?? hashOf(bytes);
    let known = this.#known.get(name);
    if (!known || known.until < Date.now()) {
      if (hash !== undefined && hash !== hashOf(bytes)) {
        throw new GyreError('bad_input', `the hash ${hash} is not the SHA-256 of these bytes`, {
          field: 'hash',
          fix: `use the SHA-256 of the encoded ${this.#noun} in lower-case hex, or omit it`,
        });
      }
      known = { written: this.#write(bytes, name), until: Date.now() + trustMs };
      this.#known.set(name, known);
      known.written.catch(() => this.#known.delete(name));
    }
    await known.written;
    return name;
  }

  async get(hash: ContentHash): Promise<Uint8Array> {
    const name = ContentHash.safeParse(hash);
    if (!name.success) {
      throw new GyreError('bad_input', `"${hash}" is not a content hash`, { field: 'hash', fix: 'use 64 hex digits' });
    }
    const path = this.#pathOf(hash);
    const bytes = await this.#fs.readFile(path).catch((error: unknown) => {
      throw new GyreError(
        'corrupt',
        `${this.#noun} ${hash} ${isMissing(error) ? 'is not in the lake' : 'cannot be read'}`,
        {
          field: path,
          fix: 'restore it from a backup, or omit the episodes that refer to it',
          cause: error,
        },
      );
    });
    if (hashOf(bytes) !== hash) {
      throw new GyreError('corrupt', `the content of ${this.#noun} ${hash} does not match its name`, {
        field: path,
        fix: 'restore it from a backup, or remove it and omit the episodes that refer to it',
      });
    }
    return bytes;
  }

  async *files(): AsyncIterable<{ file: string; hash: ContentHash }> {
    for (const shard of (await this.#fs.readdir(this.#folder)).sort()) {
      const names = await this.#fs.readdir(join(this.#folder, shard)).catch((error: unknown) => {
        if (codeOf(error) === 'ENOTDIR') return undefined;
        throw error;
      });
      if (!names) yield { file: shard, hash: shard };
      for (const name of names?.sort() ?? [])
        yield { file: join(shard, name), hash: name.replace(`.${this.#ending}`, '') };
    }
  }

  async look(hash: ContentHash): Promise<{ size: number; lastUse: Date } | undefined> {
    try {
      const { size, mtime } = await this.#fs.stat(this.#pathOf(hash));
      return { size, lastUse: mtime };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storageError(error, this.#pathOf(hash));
    }
  }

  /** Removes a blob, by default only if it was unused for an hour. */
  async drop(hash: ContentHash, isOld: (lastUse: Date) => boolean = isForgotten): Promise<boolean> {
    const path = this.#pathOf(hash);
    const aside = await this.#aside();
    try {
      await this.#fs.rename(path, aside);
      // Renaming preserves the time: earlier uses are visible, later ones miss the file.
      if (!isOld((await this.#fs.stat(aside)).mtime)) {
        await this.#fs.rename(aside, path);
        return false;
      }
      await this.#fs.unlink(aside);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw storageError(error, path);
    }
  }

  async #write(bytes: Uint8Array, hash: ContentHash): Promise<void> {
    const path = this.#pathOf(hash);
    try {
      // The time records the last use.
      const now = new Date();
      await this.#fs.utimes(path, now, now);
      // A power loss left another size.
      if ((await this.#fs.stat(path)).size === bytes.byteLength) return;
    } catch (error) {
      // Another user's file is written again.
      if (!isMissing(error) && codeOf(error) !== 'EPERM') throw storageError(error, path);
    }
    await makeFolder(this.#fs, this.#folder, hash.slice(0, 2));
    if (this.#sync) await syncFolder(this.#fs, this.#folder);
    await writeWhole(this.#fs, { path, aside: await this.#aside(), bytes, sync: this.#sync });
  }

  #pathOf(hash: ContentHash): string {
    return join(this.#folder, hash.slice(0, 2), `${hash}.${this.#ending}`);
  }

  get #noun(): string {
    return nouns[this.#ending];
  }
}

/** Bounds trust that a blob is there; must stay far below the hour. */
const trustMs = 600_000;

export function isForgotten(wanted: Date): boolean {
  return Date.now() - wanted.getTime() > 3_600_000;
}

function hashOf(bytes: Uint8Array): ContentHash {
  return createHash('sha256').update(bytes).digest('hex');
}
