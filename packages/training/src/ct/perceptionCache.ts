import { mkdir, readFile, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Size, Split } from '@gyre/protocol';
import type { BrowserPool } from '@gyre/sandbox';
import {
  type PerceptionSample,
  type Sheet,
  cutSheet,
  perceptionSheets,
  perceptionVersion,
  sheetLayout,
} from '@gyre/tasks';
import writeFileAtomic from 'write-file-atomic';
import { packSheet, unpackSheet } from './sheetFile.js';

export interface SheetKey {
  readonly seed: number;
  readonly size: Size;
  /** Default `train`. */
  readonly split?: Split;
  /** Default `all`. */
  readonly looks?: 'all' | 'tasks';
}

/** Caches rendered sheets. Damaged files are rendered again; the least recently used are evicted. */
export class PerceptionCache {
  readonly #folder: string;
  readonly #megabytes: number;

  #bytes: number | undefined;

  constructor(folder: string, megabytes = 2000) {
    this.#folder = folder;
    this.#megabytes = megabytes;
  }

  /**
   * Yields consecutive samples.
   * @throws GyreError `infra` if the browser fails
   */
  async *read(pool: BrowserPool, key: SheetKey, first: number, count: number): AsyncGenerator<PerceptionSample[]> {
    const layout = sheetLayout(key.size);
    let index = first;
    while (index < first + count) {
      const cached = await this.#samples(key, index);
      if (cached) {
        yield cached;
        index++;
        continue;
      }
      let end = index + 1;
      while (end < first + count && !(await this.#has(key, end))) end++;
      const options = { ...key, first: index, count: (end - index) * layout.samples };
      for await (const sheet of perceptionSheets(pool, options)) {
        await this.#write(key, index++, sheet);
        yield await cutSheet(sheet, layout);
      }
    }
  }

  #path({ seed, size, split = 'train', looks = 'all' }: SheetKey, index: number): string {
    return join(
      this.#folder,
      `v${perceptionVersion}-${split}-${looks}-${size.width}x${size.height}-${seed}-${index}.sheet`,
    );
  }

  async #has(key: SheetKey, index: number): Promise<boolean> {
    return stat(this.#path(key, index)).then(
      () => true,
      () => false,
    );
  }

  async #samples(key: SheetKey, index: number): Promise<PerceptionSample[] | undefined> {
    const path = this.#path(key, index);
    const file = await readFile(path).catch(() => undefined);
    if (!file) return undefined;
    try {
      const samples = await cutSheet(unpackSheet<Sheet['labels']>(file), sheetLayout(key.size));
      const now = new Date();
      await utimes(path, now, now);
      return samples;
    } catch {
      return undefined;
    }
  }

  async #write(key: SheetKey, index: number, sheet: Sheet): Promise<void> {
    const file = packSheet(sheet);
    await mkdir(this.#folder, { recursive: true });
    const path = this.#path(key, index);
    await writeFileAtomic(path, file, { fsync: false });
    if (this.#bytes !== undefined) this.#bytes += file.length;
    await this.#bound();
  }

  async #bound(): Promise<void> {
    const maxBytes = this.#megabytes * 1e6;
    if (this.#bytes !== undefined && this.#bytes <= maxBytes) return;
    const names = await readdir(this.#folder);
    const files = await Promise.all(
      names
        .filter((name) => name.includes('.sheet'))
        .map(async (name) => {
          const path = join(this.#folder, name);
          return stat(path).then(
            ({ size, mtimeMs }) => ({ path, size, mtimeMs }),
            () => ({ path, size: 0, mtimeMs: 0 }),
          );
        }),
    );
    files.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.path < b.path ? -1 : 1));
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files) {
      // Leaves room, so that few writes list the folder.
      if (total <= maxBytes * 0.9) break;
      await rm(path, { force: true });
      total -= size;
    }
    this.#bytes = total;
  }
}
