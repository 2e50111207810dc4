import * as nodeFileSystem from 'node:fs/promises';
import { join } from 'node:path';
import { type ContentHash, type Episode, EpisodeStart, GyreError, Review, SpeechEntry } from '@gyre/protocol';
import { adopt } from './upkeep/audit.js';
import { Blobs } from './blobs.js';
import { type Census, takeCensus } from './census.js';
import { writeCard } from './card.js';
import type { EpisodeFilter } from '../query/episodeIndex.js';
import { type Damage, EpisodeFiles } from './episodeFiles.js';
import { type EpisodeWriter, WriteAheadEpisode, check } from './episodeWriter.js';
import { type FileSystem, storageError, syncFolder } from './fileSystem.js';
import { followWriteAhead, type LakeEvent } from './follow.js';
import { Names, makeLayout } from './layout.js';
import { Manifest, type Written } from './manifest.js';
import type { LakeContext } from './upkeep/maintenance.js';
import { Owner } from './lock/owner.js';
import { Pool } from '../pools/pool.js';
import { type PoolStage, poolStages } from '../pools/poolSample.js';
import { type PruneOptions, type PruneReport, prune } from './upkeep/prune.js';
import { type Answer, Queries } from '../query/queries.js';
import { recover } from './upkeep/recovery.js';
import type { ObjectStore } from '../remote/objectStore.js';
import { type TransferOptions, type TransferReport, pull, push } from '../remote/transfer.js';
import { repair } from './upkeep/repair.js';
import { Records } from './records.js';
import { withSpeech } from './speech.js';
import type { WatchOptions } from './watchFolder.js';

export interface LakeOptions {
  /** Episodes per Parquet file. Default 256. */
  readonly batch?: number;
  /** Syncs every append, so that acknowledged turns survive power loss. Default false. */
  readonly durable?: boolean;
  /** Reports each damaged file that a read skips. Default: a process warning. */
  readonly onDamage?: (damage: Damage) => void;
  readonly fs?: FileSystem;
}

/**
 * A trajectory lake: a folder of immutable files that concurrent processes may write. Of episodes with one id, one
 * with a verdict counts before an `infra_error`, that before a cut one, else the first.
 */
export class Lake {
  readonly #context: LakeContext;
  readonly #durable: boolean;
  readonly #onDamage: (damage: Damage) => void;

  readonly #writers = new Set<WriteAheadEpisode>();
  readonly #openIds = new Set<string>();
  readonly #pools = new Map<PoolStage, Pool>();
  #closed = false;
  readonly #queries: Queries;

  private constructor(
    context: LakeContext,
    durable: boolean,
    onDamage: (damage: Damage) => void,
    /** Episodes taken over from dead processes. */
    readonly recovered: number,
  ) {
    this.#context = context;
    this.#durable = durable;
    this.#onDamage = onDamage;

    this.#queries = new Queries(context.layout, context.files, context);
  }

  /** Opens or creates the lake. Unfinished episodes of dead processes end as cut. */
  static async open(dir: string, options: LakeOptions = {}): Promise<Lake> {
    const { batch = 256, durable = false, onDamage = warn, fs = nodeFileSystem } = options;
    if (!Number.isInteger(batch) || batch < 1) {
      throw new GyreError('bad_input', `the batch size ${batch} is invalid`, {
        field: 'batch',
        fix: 'use an integer of 1 or more',
      });
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
    const screenshots = new Blobs(fs, 'png', layout.blobs, aside, durable);
    const audio = new Blobs(fs, 'webm', layout.audio, aside, durable);
    const recordsIn = (folder: string) => new Records(fs, folder, names, manifest, aside, durable, onDamage);
    const [updates, reviews] = [recordsIn(layout.updates), recordsIn(layout.reviews)];
    const speech = recordsIn(layout.speech);
    try {
      const recovered = await recover(fs, layout, { owner, names, files, manifest });
      const context = { fs, layout, owner, names, files, screenshots, audio, updates, reviews, speech, manifest };
      return new Lake(context, durable, onDamage, recovered);
    } catch (error) {
      await owner.release();
      throw storageError(error, dir);
    }
  }

  get directory(): string {
    return this.#context.layout.root;
  }

  /**
   * Stores a screenshot once, by content.
   * @throws GyreError `bad_input` for a wrong hash; `storage`
   */
  async putScreenshot(png: Uint8Array, hash?: ContentHash): Promise<ContentHash> {
    this.#expectOpen();
    return this.#context.screenshots.put(png, hash);
  }

  /** @throws GyreError `corrupt` for a missing or damaged screenshot */
  screenshot(hash: ContentHash): Promise<Uint8Array> {
    return this.#context.screenshots.get(hash);
  }

  /**
   * Begins an episode, which even a crash leaves in the lake, complete or cut.
   * @throws GyreError `bad_input` for an invalid start or an open id; `storage`
   */
  async begin(start: EpisodeStart): Promise<EpisodeWriter> {
    this.#expectOpen();
    const checked = check(EpisodeStart, start, 'start');
    const { id } = checked;
    if (this.#openIds.has(id)) {
      throw new GyreError('bad_input', `episode ${id} is already being written`, {
        field: 'start.id',
        fix: 'give every episode a unique id',
      });
    }
    this.#openIds.add(id);
    const { fs, layout, names, owner, files } = this.#context;
    try {
      const writer: WriteAheadEpisode = await WriteAheadEpisode.begin(checked, {
        fs,
        name: async () => {
          await owner.claim();
          return join(layout.wal, names.writeAhead(id));
        },
        syncNames: this.#durable ? () => syncFolder(fs, layout.wal) : undefined,
        onFinish: (episode) => {
          this.#writers.delete(writer);
          this.#openIds.delete(id);
          return files.add({ episode, bytes: writer.bytes, stored: () => writer.putAway() });
        },
      });
      this.#writers.add(writer);
      return writer;
    } catch (error) {
      this.#openIds.delete(id);
      throw storageError(error, layout.wal);
    }
  }

  /** Stores a row of `updates`, with a column per field. */
  async putUpdate(record: object): Promise<void> {
    this.#expectOpen();
    await this.#context.updates.put(record);
  }

  /**
   * Stores a person's judgement of an episode, beside those of others.
   * @throws GyreError `bad_input` for an invalid review; `storage`
   */
  async putReview(review: Review): Promise<void> {
    this.#expectOpen();
    await this.#context.reviews.put(check(Review, review, 'review'));
  }

  /** Returns all reviews, oldest first. */
  async reviews(): Promise<Review[]> {
    return (await this.#context.reviews.read()).map((review) => check(Review, review, 'review'));
  }

  /**
   * Stores a recording of a person once, by content.
   * @throws GyreError `bad_input` for a wrong hash; `storage`
   */
  async putAudio(webm: Uint8Array, hash?: ContentHash): Promise<ContentHash> {
    this.#expectOpen();
    return this.#context.audio.put(webm, hash);
  }

  /** @throws GyreError `corrupt` for a missing or damaged recording */
  audio(hash: ContentHash): Promise<Uint8Array> {
    return this.#context.audio.get(hash);
  }

  /**
   * Stores what is known of a person's speech. Episodes are read with it: see {@link withSpeech}.
   * @throws GyreError `bad_input` for an invalid entry; `storage`
   */
  async putSpeech(entry: SpeechEntry): Promise<void> {
    this.#expectOpen();
    await this.#context.speech.put(check(SpeechEntry, entry, 'speech'));
  }

  /** Returns all entries by episode, oldest first. */
  async speech(): Promise<Map<string, SpeechEntry[]>> {
    const byEpisode = new Map<string, SpeechEntry[]>();
    for (const value of await this.#context.speech.read()) {
      const entry = check(SpeechEntry, value, 'speech');
      const entries = byEpisode.get(entry.episode);
      if (entries) entries.push(entry);
      else byEpisode.set(entry.episode, [entry]);
    }
    return byEpisode;
  }

  pool(stage: PoolStage): Pool {
    const known = this.#pools.get(stage);
    if (known) return known;
    const { fs, layout, owner, names, screenshots, manifest } = this.#context;
    const aside = async (): Promise<string> => {
      this.#expectOpen();
      await owner.claim();
      return join(layout.aside, names.aside());
    };
    const screenshot = (hash: ContentHash): Promise<Uint8Array> => screenshots.get(hash);
    const list = (written: Written) => manifest.record([written]);
    const pool = new Pool(stage, { fs, root: layout.root, aside, list, screenshot, onDamage: this.#onDamage });
    this.#pools.set(stage, pool);
    return pool;
  }

  /** Flushes, then yields all finished episodes, oldest first. */
  async *episodes(filter: EpisodeFilter = {}): AsyncIterable<Episode> {
    await this.#context.files.flush();
    const speech = await this.speech();
    for await (const episode of this.#context.files.read(filter)) yield withSpeech(episode, speech.get(episode.id));
  }

  /**
   * Returns the episodes that this process and other live ones are playing, as cut ones with the turns so far. Those of
   * dead processes end when the lake is opened next.
   */
  async running(): Promise<Episode[]> {
    return [...[...this.#writers].map((writer) => writer.soFar), ...(await this.#context.files.runningElsewhere())];
  }

  /**
   * Tells what writers of all processes append from now on, without what is in the lake already. Returns a function that
   * ends it.
   */
  follow(onEvent: (event: LakeEvent) => void, options?: WatchOptions): Promise<() => void> {
    const { fs, layout } = this.#context;
    return followWriteAhead(fs, layout.wal, onEvent, options);
  }

  /** Returns the episodes that dead processes have not ended, as cut ones. They end when the lake is opened next. */
  abandoned(): Promise<Episode[]> {
    return this.#context.files.abandoned();
  }

  /** Flushes, then draws up to `count` matching episodes without replacement. */
  async sample(filter: EpisodeFilter, count: number, random: () => number): Promise<Episode[]> {
    if (!Number.isInteger(count) || count < 1) {
      throw new GyreError('bad_input', `the count ${count} is invalid`, {
        field: 'count',
        fix: 'use an integer of 1 or more',
      });
    }
    await this.#context.files.flush();
    const speech = await this.speech();
    const drawn = await this.#context.files.sample(filter, count, random);
    return drawn.map((episode) => withSpeech(episode, speech.get(episode.id)));
  }

  /**
   * Flushes, then runs one SELECT over the views of {@link Queries}.
   * @throws GyreError `bad_input` for any other statement; `missing` without DuckDB
   */
  async sql(statement: string, maxRows = Infinity, signal?: AbortSignal): Promise<Answer> {
    await this.#context.files.flush();
    return this.#queries.ask(statement, maxRows, signal);
  }

  /**
   * Writes finished episodes to Parquet.
   * @throws GyreError `storage`, after which they wait for the next flush
   */
  flush(): Promise<void> {
    return this.#context.files.flush();
  }

  /** Cuts open episodes and flushes. On failure, may be called again. */
  async close(): Promise<void> {
    this.#closed = true;
    const cuts = await Promise.allSettled([...this.#writers].map((writer) => writer.cut()));
    await this.#context.files.flush();
    this.#queries.close();
    const failed = cuts.find((cut) => cut.status === 'rejected');
    if (failed) throw failed.reason;
    const { manifest, owner } = this.#context;
    await manifest.settle();
    if (manifest.isUncertain) await adopt(this.#context, (file) => file.includes(`-${owner.name}-`));
    await owner.release();
  }

  /**
   * Reports damaged and missing files. `repair` moves them to `damaged/`.
   * @throws GyreError `held` while another process repairs or prunes
   */
  async check(options: { readonly repair?: boolean } = {}): Promise<Census> {
    await this.#context.files.flush();
    return options.repair === true ? repair(this.#context) : takeCensus(this.#context);
  }

  async prune(options: PruneOptions): Promise<PruneReport> {
    await this.#context.files.flush();
    return await prune(this.#context, options, () => this.#pooled());
  }

  /** Flushes, then copies missing files to a store; see {@link push}. Pools, updates, reviews and speech stay. */
  async push(store: ObjectStore, options: TransferOptions = {}): Promise<TransferReport> {
    await this.#context.files.flush();
    return push(this.#context, store, options);
  }

  /** Copies missing files from a store; see {@link pull}. */
  async pull(store: ObjectStore, options: TransferOptions = {}): Promise<TransferReport> {
    this.#expectOpen();
    return pull(this.#context, store, options);
  }

  /** @throws GyreError `corrupt` for a damaged pool, which may name any episode */
  async #pooled(): Promise<Set<string>> {
    const { fs, layout } = this.#context;
    const ids = new Set<string>();
    for (const stage of poolStages) {
      const onDamage = ({ file, reason }: Damage): never => {
        throw new GyreError('corrupt', `lake file ${file} is damaged: ${reason}`, {
          field: file,
          fix: 'restore it from a backup or remove it, or allow pruning episodes in pools',
        });
      };
      const refuse = (): Promise<never> => Promise.reject(new Error('this pool is read-only'));
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

  #expectOpen(): void {
    if (!this.#closed) return;
    throw new GyreError('bad_input', 'the lake is closed', { field: 'lake', fix: 'open it again' });
  }
}

function warn({ file, reason }: Damage): void {
  process.emitWarning(`skipped lake file ${file}: ${reason}`, 'GyreDamage');
}
