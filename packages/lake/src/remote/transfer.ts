import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ContentHash } from '@gyre/protocol';
import type { Damage } from '../store/episodeFiles.js';
import { adopt } from '../store/upkeep/audit.js';
import { isMissing, writeWhole } from '../store/fileSystem.js';
import { matchesName } from '../store/layout.js';
import type { LakeContext } from '../store/upkeep/maintenance.js';
import type { ObjectStore, StoredObject } from './objectStore.js';

export interface TransferOptions {
  /** Default 16. */
  readonly concurrency?: number;
  readonly onFile?: (done: number, of: number) => void;
  /** Aborting throws its reason; finished copies stay. */
  readonly signal?: AbortSignal | undefined;
}

export interface TransferReport {
  readonly episodeFiles: number;
  readonly screenshots: number;
  readonly bytes: number;
  readonly known: number;
  /** Not copied, since they do not match their name. */
  readonly damaged: readonly Damage[];
}

const blobPrefix = 'blobs/';
const episodePrefix = 'episodes/';

/**
 * Copies missing files to a store. Files are immutable and named by content, so equal names and sizes are skipped.
 * Screenshots precede their episodes, for concurrent pulls. Lakes may share a store.
 */
export async function push(
  context: LakeContext,
  store: ObjectStore,
  options: TransferOptions,
): Promise<TransferReport> {
  const { fs, layout, files, screenshots } = context;
  const there = new Map<string, number>();
  for (const prefix of [blobPrefix, episodePrefix])
    for await (const { key, size } of store.list(prefix)) there.set(key, size);
  const run = new Transfer(options);
  const copy = (key: string, path: string, isWhole: (bytes: Uint8Array) => boolean) => ({
    key,
    work: async () => {
      const size = await sizeOf(context, path);
      if (size === undefined) return undefined;
      if (there.get(key) === size) return 'known' as const;
      const bytes = await fs.readFile(path).catch((error: unknown) => {
        // Pruned meanwhile.
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (!bytes) return undefined;
      if (!isWhole(bytes)) return 'damaged' as const;
      await store.put(key, bytes);
      return bytes.byteLength;
    },
  });
  // Listed first: their screenshots are among those listed next.
  const episodes = await files.files();
  const hashes: string[] = [];
  for await (const { file, hash } of screenshots.files()) if (isHash(hash)) hashes.push(file);
  run.expect(episodes.length + hashes.length);
  await run.copyAll(
    hashes.map((file) => {
      const key = `${blobPrefix}${file.replaceAll('\\', '/')}`;
      return copy(key, join(layout.blobs, file), (bytes) => hashOf(bytes) === hashIn(key));
    }),
    'screenshots',
  );
  const names = episodes.map((name) =>
    copy(`${episodePrefix}${name}`, join(layout.episodes, name), (bytes) => matchesName(bytes, name)),
  );
  await run.copyAll(names, 'episodeFiles');
  return run.report;
}

/** Copies missing files from a store, verifying each by its name. Pruned episodes come back. */
export async function pull(
  context: LakeContext,
  store: ObjectStore,
  options: TransferOptions,
): Promise<TransferReport> {
  const { fs, layout, files, screenshots, owner, names } = context;
  const listed = async (prefix: string): Promise<StoredObject[]> => {
    const objects: StoredObject[] = [];
    for await (const object of store.list(prefix)) objects.push(object);
    return objects.sort((a, b) => (a.key < b.key ? -1 : 1));
  };
  const episodes = (await listed(episodePrefix)).filter(({ key }) => key.endsWith('.parquet'));
  const blobs = (await listed(blobPrefix)).filter(({ key }) => isHash(hashIn(key)));
  const run = new Transfer(options);
  run.expect(episodes.length + blobs.length);
  await run.copyAll(
    blobs.map(({ key, size }) => ({
      key,
      work: async () => {
        const hash = hashIn(key);
        if ((await screenshots.look(hash))?.size === size) return 'known' as const;
        const bytes = await store.get(key);
        if (hashOf(bytes) !== hash) return 'damaged' as const;
        await screenshots.put(bytes, hash);
        return bytes.byteLength;
      },
    })),
    'screenshots',
  );
  const here = new Set(await files.files());
  await owner.claim();
  await run.copyAll(
    episodes.map(({ key }) => ({
      key,
      work: async () => {
        const name = key.slice(episodePrefix.length);
        if (here.has(name)) return 'known' as const;
        // Keys may hold anything; only our names become paths.
        if (!/^[\w-]+\.parquet$/.test(name)) return 'damaged' as const;
        const bytes = await store.get(key);
        if (!matchesName(bytes, name)) return 'damaged' as const;
        const aside = join(layout.aside, names.aside());
        await writeWhole(fs, { path: join(layout.episodes, name), aside, bytes, sync: true });
        return bytes.byteLength;
      },
    })),
    'episodeFiles',
  );
  const pulled = new Set(episodes.map(({ key }) => key));
  await adopt(context, (file) => pulled.has(file));
  return run.report;
}

interface Copy {
  readonly key: string;
  readonly work: () => Promise<number | 'known' | 'damaged' | undefined>;
}

class Transfer {
  readonly #options: TransferOptions;

  readonly report = { episodeFiles: 0, screenshots: 0, bytes: 0, known: 0, damaged: [] as Damage[] };
  #done = 0;
  #total = 0;

  constructor(options: TransferOptions) {
    this.#options = options;
  }

  expect(files: number): void {
    this.#total = files;
  }

  async copyAll(copies: readonly Copy[], kind: 'episodeFiles' | 'screenshots'): Promise<void> {
    const { concurrency = 16, onFile, signal } = this.#options;
    const queue = copies.values();
    let failed = false;
    const work = async (): Promise<void> => {
      for (const { key, work: copy } of queue) {
        if (failed) return;
        signal?.throwIfAborted();
        const outcome = await copy();
        if (outcome === 'known') this.report.known++;
        else if (outcome === 'damaged')
          this.report.damaged.push({ file: key, reason: 'its content does not match its name' });
        else if (outcome !== undefined) {
          this.report[kind]++;
          this.report.bytes += outcome;
        }
        onFile?.(++this.#done, this.#total);
      }
    };
    const ends = await Promise.allSettled(
      Array.from({ length: concurrency }, () =>
        work().catch((error: unknown) => {
          failed = true;
          throw error;
        }),
      ),
    );
    const end = ends.find((one) => one.status === 'rejected');
    if (end) throw end.reason;
  }
}

async function sizeOf({ fs }: LakeContext, path: string): Promise<number | undefined> {
  try {
    return (await fs.stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isHash = (text: string): boolean => ContentHash.safeParse(text).success;
const hashIn = (key: string): ContentHash => /([^/]*)\.png$/.exec(key)?.[1] ?? '';
const hashOf = (bytes: Uint8Array): ContentHash => createHash('sha256').update(bytes).digest('hex');
