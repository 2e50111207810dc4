import * as nodeFileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentHash, type Episode, EpisodeStart, GyreError } from '@gyre/protocol';
import { adopt } from './upkeep/audit.js';
import { type Census, takeCensus } from './census.js';
import { writeCard } from './card.js';
import type { EpisodeFilter } from '../query/episodeIndex.js';
import { type Damage, EpisodeFiles } from './episodeFiles.js';
import { type EpisodeWriter, WriteAheadEpisode, check } from './episodeWriter.js';
import { type FileSystem, storageError, syncFolder } from './fileSystem.js';
import { Names, makeLayout } from './layout.js';
import { Manifest, type Written } from './manifest.js';
import type { Premises } from './upkeep/maintenance.js';
import { Owner } from './lock/owner.js';
import { Pool } from '../pools/pool.js';
import { type PoolStage, poolStages } from '../pools/poolSample.js';
import { type PruneOptions, type PruneReport, prune } from './upkeep/prune.js';
import { type Answer, Queries } from '../query/queries.js';
import { recover } from './upkeep/recovery.js';
import type { ObjectStore } from '../remote/objectStore.js';
import { type TransferOptions, type TransferReport, pull, push } from '../remote/transfer.js';
import { repair } from './upkeep/repair.js';
import { Screenshots } from './screenshots.js';
import { Updates } from './updates.js';

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
 * The trajectory lake: a folder of files that never change, and go only when somebody prunes it. Any number of processes may
 * have it open and write at once. An episode's id is its identity: of two with the same id a whole one counts before a cut one,
 * else the first.
 */
export class Lake {
  private readonly writers = new Set<WriteAheadEpisode>();
  private readonly openIds = new Set<string>();
  private readonly pools = new Map<PoolStage, Pool>();
  private closed = false;
  private readonly queries: Queries;

  private constructor(
    private readonly premises: Premises,
    private readonly durable: boolean,
    private readonly onDamage: (damage: Damage) => void,
    /** How many episodes of dead processes were taken over when this lake was opened. */
    readonly recovered: number,
  ) {
    this.queries = new Queries(premises.layout, premises.files, premises.updates);
  }

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
    if (durable) await syncFolder(fs, dir);
    const owner = new Owner(fs, layout.wal);
    const names = new Names(owner.name);
    const aside = async (): Promise<string> => {
      await owner.claim();
      return join(layout.aside, names.aside());
    };
    const manifest = new Manifest(fs, layout.root, aside);
    const files = new EpisodeFiles(fs, layout, names, manifest, batch, onDamage);
    const screenshots = new Screenshots(fs, layout.blobs, aside, durable);
    const updates = new Updates(fs, layout.updates, names, manifest, aside, durable, onDamage);
    try {
      const recovered = await recover(fs, layout, { owner, names, files, manifest });
      const premises = { fs, layout, owner, names, files, screenshots, updates, manifest };
      return new Lake(premises, durable, onDamage, recovered);
    } catch (error) {
      await owner.release();
      throw storageError(error, dir);
    }
  }

  /**
   * Stores a screenshot under the SHA-256 of its bytes, once. With the hash given, one that is known costs nothing.
   * @throws GyreError `bad_input` for a hash that is not that of the bytes; `storage`.
   */
  async putScreenshot(png: Uint8Array, hash?: ContentHash): Promise<ContentHash> {
    this.expectOpen();
    return this.premises.screenshots.put(png, hash);
  }

  /** @throws GyreError `corrupt` for a screenshot that is missing or holds other bytes than its name says. */
  screenshot(hash: ContentHash): Promise<Uint8Array> {
    return this.premises.screenshots.get(hash);
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
    const { fs, layout, names, owner, files } = this.premises;
    try {
      const writer: WriteAheadEpisode = await WriteAheadEpisode.begin(checked, {
        fs,
        name: async () => {
          await owner.claim();
          return join(layout.wal, names.writeAhead(id));
        },
        syncNames: this.durable ? () => syncFolder(fs, layout.wal) : undefined,
        onFinish: (episode) => {
          this.writers.delete(writer);
          this.openIds.delete(id);
          return files.add({ episode, bytes: writer.bytes, stored: () => writer.putAway() });
        },
      });
      this.writers.add(writer);
      return writer;
    } catch (error) {
      this.openIds.delete(id);
      throw storageError(error, layout.wal);
    }
  }

  /**
   * Keeps the record of an update of training, for good: a row of `updates` with a column for each of its fields.
   * @throws GyreError `storage`.
   */
  async putUpdate(record: object): Promise<void> {
    this.expectOpen();
    await this.premises.updates.put(record);
  }

  /** The samples that a stage of training learns from, always the same object for a stage. */
  pool(stage: PoolStage): Pool {
    const known = this.pools.get(stage);
    if (known) return known;
    const { fs, layout, owner, names, screenshots, manifest } = this.premises;
    const aside = async (): Promise<string> => {
      this.expectOpen();
      await owner.claim();
      return join(layout.aside, names.aside());
    };
    const screenshot = (hash: ContentHash): Promise<Uint8Array> => screenshots.get(hash);
    const list = (written: Written) => manifest.record([written]);
    const pool = new Pool(stage, { fs, root: layout.root, aside, list, screenshot, onDamage: this.onDamage });
    this.pools.set(stage, pool);
    return pool;
  }

  /** Episodes that have ended, of all processes, oldest first. Flushes, so that one's own are among them. */
  async *episodes(filter: EpisodeFilter = {}): AsyncIterable<Episode> {
    await this.premises.files.flush();
    yield* this.premises.files.read(filter);
  }

  /**
   * So many episodes drawn at random from those that match, in random order, or all where there are fewer: a batch to train on.
   * Flushes.
   * @param random numbers in 0..1, 1 excluded.
   */
  async sample(filter: EpisodeFilter, count: number, random: () => number): Promise<Episode[]> {
    if (!Number.isInteger(count) || count < 1) {
      throw new GyreError('bad_input', `count is ${count}`, { field: 'count', fix: 'give an integer from 1 on' });
    }
    await this.premises.files.flush();
    return this.premises.files.sample(filter, count, random);
  }

  /**
   * Asks DuckDB: one SELECT over the views that {@link Queries} lists. Flushes.
   * @param most rows are given; `more` says whether there were others.
   * @param signal ends the statement, which then fails.
   * @throws GyreError `bad_input` for a statement that is not one SELECT, is not understood or fails; `missing` without DuckDB.
   */
  async sql(statement: string, most = Infinity, signal?: AbortSignal): Promise<Answer> {
    await this.premises.files.flush();
    return this.queries.ask(statement, most, signal);
  }

  /** Writes the episodes that have ended to Parquet now. @throws GyreError `storage`: they then wait for the next time. */
  flush(): Promise<void> {
    return this.premises.files.flush();
  }

  /**
   * Cuts the episodes that are still open here, and flushes.
   * @throws GyreError `storage` where that failed. It may be called again; what stays behind is finished by the next open.
   */
  async close(): Promise<void> {
    this.closed = true;
    const cuts = await Promise.allSettled([...this.writers].map((writer) => writer.cut()));
    await this.premises.files.flush();
    this.queries.close();
    const failed = cuts.find((cut) => cut.status === 'rejected');
    if (failed) throw failed.reason;
    const { manifest, owner } = this.premises;
    await manifest.settle();
    if (manifest.isUncertain) await adopt(this.premises, (file) => file.includes(`-${owner.name}-`));
    await owner.release();
  }

  /**
   * Reads everything that is in the lake, counts it and names every file that is damaged or missing. With `repair` these are put
   * into `damaged/`, as {@link repair} says.
   * @throws GyreError `held` where another process repairs or prunes; `storage`.
   */
  async check(options: { readonly repair?: boolean } = {}): Promise<Census> {
    await this.premises.files.flush();
    return options.repair === true ? repair(this.premises) : takeCensus(this.premises);
  }

  /** Drops old episodes and the screenshots that none shows any more, as {@link prune} says, which also says what it throws. */
  async prune(options: PruneOptions): Promise<PruneReport> {
    await this.premises.files.flush();
    return await prune(this.premises, options, () => this.pooled());
  }

  /**
   * Copies to a store what it lacks of this lake, as {@link push} says. Flushes. Pools and updates stay here.
   * @throws GyreError what the store throws; what was copied until then stays.
   */
  async push(store: ObjectStore, options: TransferOptions = {}): Promise<TransferReport> {
    await this.premises.files.flush();
    return push(this.premises, store, options);
  }

  /** Copies to this lake what it lacks of a store, as {@link pull} says. @throws GyreError as `push` does, and `storage`. */
  async pull(store: ObjectStore, options: TransferOptions = {}): Promise<TransferReport> {
    this.expectOpen();
    return pull(this.premises, store, options);
  }

  /** Ids of the episodes that a pool names. Throws `corrupt` for a damaged version of a pool, which may name any. */
  private async pooled(): Promise<Set<string>> {
    const { fs, layout } = this.premises;
    const ids = new Set<string>();
    for (const stage of poolStages) {
      const onDamage = ({ file, reason }: Damage): never => {
        throw new GyreError('corrupt', `${file} of the lake is damaged: ${reason}`, {
          field: file,
          fix: 'copy it back from a backup or remove it; or let episodes of pools go too',
        });
      };
      const refuse = (): Promise<never> => Promise.reject(new Error('this pool is only read'));
      const pool = new Pool(stage, {
        fs,
        root: layout.root,
        aside: refuse,
        list: refuse,
        screenshot: refuse,
        onDamage,
      });
      for (const { episode } of await pool.samples()) ids.add(episode);
    }
    return ids;
  }

  private expectOpen(): void {
    if (!this.closed) return;
    throw new GyreError('bad_input', 'the lake has been closed', { field: 'lake', fix: 'open it again' });
  }
}

function warn({ file, reason }: Damage): void {
  process.emitWarning(`${file} of the lake is skipped: ${reason}`, 'GyreDamage');
}
