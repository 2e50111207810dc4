import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import PQueue from 'p-queue';
import { checksum } from './checksum.js';
import type { Damage } from './episodeFiles.js';
import {
  type FileSystem,
  isMissing,
  makeFolder,
  placeNew,
  storageError,
  syncFolder,
  writeWhole,
} from './fileSystem.js';

const Listed = z.strictObject({
  /** Relative to the lake. */
  file: z.string(),
  bytes: z.int().nonnegative(),
  sha256: z.string(),
  episodes: z.int().nonnegative().optional(),
});
export type Listed = z.infer<typeof Listed>;

const Removed = z.strictObject({
  file: z.string(),
  why: z.enum(['pruned', 'replaced', 'set aside', 'lost']),
});
export type Removed = z.infer<typeof Removed>;

const Entry = z.strictObject({
  version: z.literal(1),
  number: z.int().positive(),
  /** SHA-256 of the previous entry; null for the first. */
  previous: z.string().nullable(),
  at: z.string(),
  added: z.array(Listed),
  removed: z.array(Removed),
  /** `added` is complete: earlier entries do not count. */
  whole: z.literal(true).optional(),
});
type Entry = z.infer<typeof Entry>;

const Head = z.object({ manifest: z.object({ number: z.int().positive(), sha256: z.string() }) });
type Head = z.infer<typeof Head>['manifest'];

export interface Written {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly episodes?: number;
}

export interface ManifestState {
  readonly entries: number;
  readonly since: string | undefined;
  readonly listed: ReadonlyMap<string, Listed>;
  readonly removed: ReadonlySet<string>;
  readonly damaged: readonly Damage[];
}

const fileName = /^(\d{8})\.json$/;
const nameOf = (number: number): string => `${String(number).padStart(8, '0')}.json`;
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * Lists the files that a lake must have. Numbered, immutable entries `manifest/NUMBER.json` are chained by hash and
 * linked into place, for concurrent writers; `lake.json` names the last.
 */
export class Manifest {
  readonly #fs: FileSystem;
  readonly #root: string;
  readonly #aside: () => Promise<string>;

  readonly #queue = new PQueue({ concurrency: 1 });
  #head: Head | undefined;
  /** Not listed yet. */
  #owed: Listed[] = [];
  #uncertain = false;

  constructor(fs: FileSystem, root: string, aside: () => Promise<string>) {
    this.#fs = fs;
    this.#root = root;
    this.#aside = aside;
  }

  /** Lists written and soon removed files, durably. */
  record(written: readonly Written[], removed: readonly Removed[] = []): Promise<void> {
    const added = written.map(({ file, bytes, episodes }) => ({
      ...{ file, bytes: bytes.length, sha256: hashOf(bytes) },
      ...(episodes !== undefined && { episodes }),
    }));
    return this.#inOrder(() => this.#list(added, removed));
  }

  /** A failed write may have left the file, which this owner must find later. */
  async guard(write: Promise<void>): Promise<void> {
    await write.catch((error: unknown) => {
      this.#uncertain = true;
      throw error;
    });
  }

  /** Whether unlisted files may exist. */
  get isUncertain(): boolean {
    return this.#uncertain;
  }

  settle(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#owed.length > 0) await this.#list([], []);
    });
  }

  /**
   * Writes an entry that depends on the state; retries on concurrent writes.
   * @param change returns undefined to write nothing
   */
  revise(
    change: (state: ManifestState) => Promise<Pick<Entry, 'added' | 'removed' | 'whole'> | undefined>,
  ): Promise<void> {
    return this.#inOrder(() => {
      this.#head = undefined;
      return this.#write(async () => change(await this.state()));
    });
  }

  async state(): Promise<ManifestState> {
    const numbers = await this.#numbers();
    const head = await this.#readHead();
    const damaged: Damage[] = [];
    const listed = new Map<string, Listed>();
    const removed = new Set<string>();
    let previous: string | undefined;
    let since: string | undefined;
    const last = Math.max(numbers.at(-1) ?? 0, head?.number ?? 0);
    const there = new Set(numbers);
    for (let number = 1; number <= last; number++) {
      const file = join('manifest', nameOf(number));
      const bytes = there.has(number) ? await this.#bytesOf(number) : undefined;
      const entry = bytes && decode(bytes);
      const follows = previous === undefined || entry?.previous === previous;
      if (entry?.whole) {
        damaged.length = 0;
        listed.clear();
      } else if (!bytes) damaged.push({ file, reason: 'it is missing' });
      else if (entry?.number !== number) damaged.push({ file, reason: 'its content does not match its checksum' });
      else if (!follows)
        damaged.push({ file, reason: 'it does not match the previous entry: one of the two was modified' });
      since ??= entry?.at;
      for (const each of entry?.added ?? []) {
        listed.set(each.file, each);
        removed.delete(each.file);
      }
      for (const { file: gone } of entry?.removed ?? []) {
        listed.delete(gone);
        removed.add(gone);
      }
      previous = bytes && entry?.number === number ? hashOf(bytes) : undefined;
      if (head?.number === number && previous !== undefined && previous !== head.sha256)
        damaged.push({ file, reason: 'it does not match the entry in lake.json' });
    }
    // A crash within the first entry left no head.
    if (!head && numbers.length > 1)
      damaged.push({
        file: 'lake.json',
        reason: 'it is missing or damaged; it names the last entry of the manifest',
      });
    return { entries: numbers.length, since, listed, removed, damaged };
  }

  async #list(added: readonly Listed[], removed: readonly Removed[]): Promise<void> {
    this.#owed.push(...added);
    await this.#write(() => Promise.resolve({ added: this.#owed, removed: [...removed] }));
    this.#owed = [];
  }

  #inOrder<T>(step: () => Promise<T>): Promise<T> {
    return this.#queue.add(step);
  }

  async #write(change: () => Promise<Pick<Entry, 'added' | 'removed' | 'whole'> | undefined>): Promise<void> {
    const folder = await makeFolder(this.#fs, this.#root, 'manifest');
    if (!this.#head)
      await syncFolder(this.#fs, this.#root).catch((error: unknown) => Promise.reject(storageError(error, folder)));
    for (;;) {
      const before = (this.#head ??= await this.#newest());
      const entry = await change();
      if (!entry) return;
      const number = (before?.number ?? 0) + 1;
      const json = JSON.stringify(
        Entry.parse({ version: 1, number, previous: before?.sha256 ?? null, at: new Date().toISOString(), ...entry }),
      );
      const bytes = Buffer.from(`${checksum(json)} ${json}\n`);
      const placed = await placeNew(this.#fs, {
        path: join(folder, nameOf(number)),
        aside: await this.#aside(),
        bytes,
      });
      this.#head = placed ? { number, sha256: hashOf(bytes) } : undefined;
      if (this.#head) return this.#writeHead(this.#head);
    }
  }

  /** Numbers are never reused. */
  async #newest(): Promise<Head | undefined> {
    const number = (await this.#numbers()).at(-1) ?? 0;
    const head = await this.#readHead();
    if (number === 0 || (head && head.number > number)) return head;
    const bytes = await this.#bytesOf(number);
    return bytes && { number, sha256: hashOf(bytes) };
  }

  async #numbers(): Promise<number[]> {
    try {
      const names = await this.#fs.readdir(join(this.#root, 'manifest'));
      return names.flatMap((name) => Number(fileName.exec(name)?.[1] ?? NaN) || []).sort((a, b) => a - b);
    } catch (error) {
      if (isMissing(error)) return [];
      throw storageError(error, this.#root);
    }
  }

  async #bytesOf(number: number): Promise<Uint8Array | undefined> {
    const path = join(this.#root, 'manifest', nameOf(number));
    try {
      return await this.#fs.readFile(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storageError(error, path);
    }
  }

  async #readHead(): Promise<Head | undefined> {
    try {
      const text = await this.#fs.readFile(join(this.#root, 'lake.json'), 'utf8');
      const { manifest } = Head.parse(JSON.parse(text));
      return text === headText(manifest) ? manifest : undefined;
    } catch {
      return undefined;
    }
  }

  async #writeHead(manifest: Head): Promise<void> {
    const bytes = Buffer.from(headText(manifest));
    const file = { path: join(this.#root, 'lake.json'), aside: await this.#aside(), bytes, sync: true };
    // The next entry writes the head again.
    await writeWhole(this.#fs, file).catch(() => undefined);
  }
}

const headText = (manifest: Head): string => `${JSON.stringify({ manifest })}\n`;

function decode(bytes: Uint8Array): Entry | undefined {
  const text = Buffer.from(bytes).toString('utf8');
  const json = text.slice(9, -1);
  if (text !== `${checksum(json)} ${json}\n`) return undefined;
  try {
    return Entry.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
