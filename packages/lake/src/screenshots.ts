import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ContentHash, GyreError } from '@gyre/protocol';
import { type FileSystem, isMissing, makeFolder, storageError, writeWhole } from './fileSystem.js';

/** Screenshots by content: `ab/abcdef....png`, each stored once. */
export class Screenshots {
  /** What is known to be there, and what is on its way. */
  private readonly kept = new Map<ContentHash, Promise<void>>();

  constructor(
    private readonly fs: FileSystem,
    private readonly folder: string,
    /** A fresh name for a file that is not whole yet. */
    private readonly aside: () => Promise<string>,
    private readonly sync: boolean,
  ) {}

  /** A hash that is given saves hashing for screenshots that are known, and is checked for those that are new. */
  async put(png: Uint8Array, hash?: ContentHash): Promise<ContentHash> {
    const name = hash ?? hashOf(png);
    let written = this.kept.get(name);
    if (!written) {
      if (hash !== undefined && hash !== hashOf(png)) {
        throw new GyreError('bad_input', `hash is ${hash}, which is not the SHA-256 of these bytes`, {
          field: 'hash',
          fix: 'give the SHA-256 of the encoded screenshot in lower-case hex, or leave it out',
        });
      }
      written = this.write(png, name);
      this.kept.set(name, written);
      written.catch(() => this.kept.delete(name));
    }
    await written;
    return name;
  }

  async get(hash: ContentHash): Promise<Uint8Array> {
    const name = ContentHash.safeParse(hash);
    if (!name.success) {
      throw new GyreError('bad_input', `"${hash}" is not a content hash`, { field: 'hash', fix: 'give 64 hex digits' });
    }
    const path = this.pathOf(hash);
    const bytes = await this.fs.readFile(path).catch((error: unknown) => {
      throw new GyreError(
        'corrupt',
        `screenshot ${hash} ${isMissing(error) ? 'is not in the lake' : 'cannot be read'}`,
        {
          field: path,
          fix: 'copy it back from a backup, or leave out the episodes that show it',
          cause: error,
        },
      );
    });
    if (hashOf(bytes) !== hash) {
      throw new GyreError('corrupt', `screenshot ${hash} holds other bytes than its name says`, {
        field: path,
        fix: 'copy it back from a backup, or remove it and leave out the episodes that show it',
      });
    }
    return bytes;
  }

  /** The files that are there, as paths below the folder. */
  async *files(): AsyncIterable<{ file: string; hash: ContentHash }> {
    for (const shard of (await this.fs.readdir(this.folder)).sort()) {
      for (const name of (await this.fs.readdir(join(this.folder, shard))).sort()) {
        yield { file: join(shard, name), hash: name.replace(/\.png$/, '') };
      }
    }
  }

  private async write(png: Uint8Array, hash: ContentHash): Promise<void> {
    const path = this.pathOf(hash);
    try {
      // A file of another length is what power loss left of an earlier write.
      if ((await this.fs.stat(path)).size === png.byteLength) return;
    } catch (error) {
      if (!isMissing(error)) throw storageError(error, path);
    }
    await makeFolder(this.fs, this.folder, hash.slice(0, 2));
    await writeWhole(this.fs, { path, aside: await this.aside(), bytes: png, sync: this.sync });
  }

  private pathOf(hash: ContentHash): string {
    return join(this.folder, hash.slice(0, 2), `${hash}.png`);
  }
}

function hashOf(bytes: Uint8Array): ContentHash {
  return createHash('sha256').update(bytes).digest('hex');
}
