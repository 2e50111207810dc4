import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { GyreError } from '@gyre/protocol';
import { codeOf, isMissing, storageError } from '../store/fileSystem.js';
import type { ObjectStore, StoredObject } from './objectStore.js';

export class FolderStore implements ObjectStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async *list(prefix: string): AsyncIterable<StoredObject> {
    await stat(this.#folder).catch((cause: unknown) => {
      const fix = 'use an existing folder';
      throw new GyreError('bad_input', `folder ${this.#folder} does not exist`, { field: 'store', fix, cause });
    });
    const files = await readdir(join(this.#folder, prefix), { recursive: true, withFileTypes: true }).catch(
      (error: unknown) => {
        if (isMissing(error)) return [];
        throw storageError(error, this.#folder);
      },
    );
    for (const file of files) {
      if (!file.isFile() || file.name.endsWith(aside)) continue;
      const path = join(file.parentPath, file.name);
      const key = path.slice(join(this.#folder, '/').length).replaceAll('\\', '/');
      const size = await stat(path).then(
        (found) => found.size,
        () => undefined,
      );
      if (size !== undefined) yield { key, size };
    }
  }

  async get(key: string): Promise<Uint8Array> {
    try {
      return await readFile(this.#pathOf(key));
    } catch (cause) {
      const fix = 'list the folder again: the file was removed or is not readable';
      throw new GyreError('corrupt', `cannot read ${key}: ${codeOf(cause) ?? ''}`, { field: key, fix, cause });
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(key);
    const part = `${path}.${process.pid}${aside}`;
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(part, bytes);
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      throw storageError(error, path);
    }
  }

  #pathOf(key: string): string {
    if (!key.split('/').includes('..')) return join(this.#folder, key);
    throw new GyreError('bad_input', `${key} is outside the folder`, { field: 'key', fix: 'use a path without ..' });
  }
}

const aside = '.part';
