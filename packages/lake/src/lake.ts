import * as nodeFileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentHash, type Episode, EpisodeStart, GyreError } from '@gyre/protocol';
import { type Census, takeCensus } from './census.js';
import { writeCard } from './card.js';
import { type Damage, type EpisodeFilter, EpisodeFiles } from './episodeFiles.js';
import { type EpisodeWriter, WriteAheadEpisode, check } from './episodeWriter.js';
import { type FileSystem, removeFile, storageError, syncFolder } from './fileSystem.js';
import { type Layout, Names, makeLayout } from './layout.js';
import { Owner } from './owner.js';
import { Pool } from './pools/pool.js';
import type { PoolStage } from './pools/poolSample.js';
import { recover } from './recovery.js';
import { Screenshots } from './screenshots.js';

export interface LakeOptions {
  /** Finished episodes per Parquet file. Default 256. */
  readonly batch?: number;
  /**
   * Whether an append waits until the disk has it. Without (the default) what was acknowledged survives the death of the
   * process, but not power loss. Parquet files always survive both.
   */
  readonly durable?: boolean;
  /** Told of each damaged file that is skipped in reading. Default: a warning of the process. */
  readonly onDamage?: (damage: Damage) => void;
  /** For tests of full disks and the like. Default `node:fs/promises`. */
  readonly fs?: FileSystem;
}

/**
 * The trajectory lake: a folder of files that are only ever added. Any number of processes may have it open and write at
 * once. An episode's id is its identity: of two with the same id a whole one counts before a cut one, else the first.
 */
export class Lake {
  private readonly writers = new Set<WriteAheadEpisode>();
  private readonly openIds = new Set<string>();
  private readonly pools = new Map<PoolStage, Pool>();
  private closed = false;

  private constructor(
    private readonly fs: FileSystem,
    private readonly layout: Layout,
    private readonly owner: Owner,
    private readonly names: Names,
    private readonly files: EpisodeFiles,
    private readonly screenshots: Screenshots,
    private readonly durable: boolean,
    private readonly onDamage: (damage: Damage) => void,
  ) {}

  /**
   * Opens the lake in `dir`, or makes one. Episodes that dead processes left unfinished are cut: their whole turns are kept.
   * @throws GyreError `storage` where the folder cannot be made or written; `bad_input` for options that make no sense.
   */
  static async open(dir: string, options: LakeOptions = {}): Promise<Lake> {
    const { batch = 256, durable = false, onDamage = warn, fs = nodeFileSystem } = options;
    if (!Number.isInteger(batch) || batch < 1) {
      throw new GyreError('bad_input', `batch is ${batch}`, { field: 'batch', fix: 'give an integer from 1 on' });
    }
    const layout = await makeLayout(fs, dir);
    await writeCard(fs, dir);
    const owner = new Owner(fs, layout.wal);
    const names = new Names(owner.name);
    const files = new EpisodeFiles(fs, layout, names, batch, onDamage);
    const aside = async (): Promise<string> => {
      await owner.claim();
      return join(layout.aside, names.aside());
    };
    const screenshots = new Screenshots(fs, layout.blobs, aside, durable);
    const lake = new Lake(fs, layout, owner, names, files, screenshots, durable, onDamage);
    try {
      await recover(fs, layout, { owner, names, files });
    } catch (error) {
      await owner.release();
      throw storageError(error, dir);
    }
    return lake;
  }

  /**
   * Stores a screenshot under the SHA-256 of its bytes, once. With the hash given, one that is known costs nothing.
   * @throws GyreError `bad_input` for a hash that is not that of the bytes; `storage`.
   */
  async putScreenshot(png: Uint8Array, hash?: ContentHash): Promise<ContentHash> {
    this.expectOpen();
    return this.screenshots.put(png, hash);
  }

  /** @throws GyreError `corrupt` for a screenshot that is missing or holds other bytes than its name says. */
  screenshot(hash: ContentHash): Promise<Uint8Array> {
    return this.screenshots.get(hash);
  }

  /**
   * Begins an episode. From here on it is in the lake, whole or cut, whatever process dies.
   * @throws GyreError `bad_input` for a start that does not fit its schema or an id that is open already; `storage`.
   */
  async begin(start: EpisodeStart): Promise<EpisodeWriter> {
    this.expectOpen();
    const checked = check(EpisodeStart, start, 'start');
    const { id } = checked;
    if (this.openIds.has(id)) {
      throw new GyreError('bad_input', `episode ${id} is being written already`, {
        field: 'start.id',
        fix: 'give every episode an id of its own',
      });
    }
    this.openIds.add(id);
    const path = join(this.layout.wal, this.names.writeAhead(id));
    let handle: Awaited<ReturnType<FileSystem['open']>> | undefined;
    try {
      await this.owner.claim();
      handle = await this.fs.open(path, 'ax');
      if (this.durable) await syncFolder(this.fs, this.layout.wal);
      const writer: WriteAheadEpisode = await WriteAheadEpisode.begin(
        path,
        checked,
        handle,
        this.durable,
        (episode) => {
          this.writers.delete(writer);
          this.openIds.delete(id);
          return this.files.add({ episode, bytes: writer.length, stored: () => removeFile(this.fs, path) });
        },
      );
      this.writers.add(writer);
      return writer;
    } catch (error) {
      this.openIds.delete(id);
      await handle?.close().catch(() => undefined);
      await removeFile(this.fs, path);
      throw storageError(error, path);
    }
  }

  /** The samples that a stage of training learns from, always the same object for a stage. */
  pool(stage: PoolStage): Pool {
    const known = this.pools.get(stage);
    if (known) return known;
    const aside = async (): Promise<string> => {
      this.expectOpen();
      await this.owner.claim();
      return join(this.layout.aside, this.names.aside());
    };
    const screenshot = (hash: ContentHash): Promise<Uint8Array> => this.screenshots.get(hash);
    const pool = new Pool(stage, { fs: this.fs, root: this.layout.root, aside, screenshot, onDamage: this.onDamage });
    this.pools.set(stage, pool);
    return pool;
  }

  /** Episodes that have ended, of all processes, oldest first. Flushes, so that one's own are among them. */
  async *episodes(filter: EpisodeFilter = {}): AsyncIterable<Episode> {
    await this.files.flush();
    yield* this.files.read(filter);
  }

  /** Writes the episodes that have ended to Parquet now. @throws GyreError `storage`: they then wait for the next time. */
  flush(): Promise<void> {
    return this.files.flush();
  }

  /**
   * Cuts the episodes that are still open here, and flushes.
   * @throws GyreError `storage` where that failed. It may be called again; what stays behind is finished by the next open.
   */
  async close(): Promise<void> {
    this.closed = true;
    const cuts = await Promise.allSettled([...this.writers].map((writer) => writer.cut()));
    await this.files.flush();
    const failed = cuts.find((cut) => cut.status === 'rejected');
    if (failed) throw failed.reason;
    await this.owner.release();
  }

  /** Reads everything that is in the lake, counts it and names every file that is damaged or missing. */
  async check(): Promise<Census> {
    await this.files.flush();
    return takeCensus(this.fs, this.layout.damaged, this.files, this.screenshots);
  }

  private expectOpen(): void {
    if (!this.closed) return;
    throw new GyreError('bad_input', 'the lake has been closed', { field: 'lake', fix: 'open it again' });
  }
}

function warn({ file, reason }: Damage): void {
  process.emitWarning(`${file} of the lake is skipped: ${reason}`, 'GyreDamage');
}
