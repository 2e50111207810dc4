import { join } from 'node:path';
import type { Episode } from '@gyre/protocol';
import {
  type Found,
  type Reference,
  type Row,
  decodeEpisodes,
  decodeReferences,
  decodeRows,
  encodeEpisodes,
  frameLength,
} from './episodeFile.js';
import { type Entry, type EpisodeFilter, EpisodeIndex } from '../query/episodeIndex.js';
import { type FileSystem, isMissing, writeWhole } from './fileSystem.js';
import { type Layout, type Names, matchesName } from './layout.js';
import type { Manifest, Written } from './manifest.js';
import { type Waiting, WaitingEpisodes } from './waiting.js';

export interface Damage {
  /** Relative to the lake. */
  readonly file: string;
  readonly reason: string;
}

interface Pending {
  readonly episode: Episode;
  /** Size as JSON. */
  readonly bytes: number;
  readonly stored: () => Promise<void>;
}

/** A file that is written but not in the manifest yet. */
interface UnlistedFile {
  /** Episodes. */
  readonly count: number;
  /** Bytes. */
  readonly size: number;
  readonly written: Written;
}

export class EpisodeFiles {
  readonly #fs: FileSystem;
  readonly #layout: Layout;
  readonly #names: Names;
  readonly #manifest: Manifest;
  readonly #batch: number;
  readonly #onDamage: (damage: Damage) => void;

  readonly #pending: Pending[] = [];
  #pendingBytes = 0;
  #unlisted: UnlistedFile | undefined;
  readonly #waiting: WaitingEpisodes;
  #ended = new Map<string, Waiting>();
  #writing: Promise<unknown> = Promise.resolve();
  readonly #index = new EpisodeIndex((name) => this.#rowsOf(name));

  constructor(
    fs: FileSystem,
    layout: Layout,
    names: Names,
    manifest: Manifest,
    batch: number,
    onDamage: (damage: Damage) => void,
  ) {
    this.#fs = fs;
    this.#layout = layout;
    this.#names = names;
    this.#manifest = manifest;
    this.#batch = batch;
    this.#onDamage = onDamage;

    this.#waiting = new WaitingEpisodes(fs, layout.wal, names.owner, onDamage);
  }

  async add(pending: Pending): Promise<void> {
    this.#pending.push(pending);
    this.#pendingBytes += pending.bytes;
    if (this.#isFull()) await this.#write(() => this.#isFull());
  }

  flush(): Promise<void> {
    return this.#write(() => this.#pending.length > 0);
  }

  async files(): Promise<string[]> {
    return (await this.#fs.readdir(this.#layout.episodes)).filter((name) => name.endsWith('.parquet')).sort();
  }

  async *read(filter: EpisodeFilter): AsyncIterable<Episode> {
    const yielded = new Set<string>();
    for (let moved = true; moved;) {
      moved = false;
      for (const [name, entries] of this.#index.byFile(await this.find(filter))) {
        const pending = entries.filter(({ row }) => !yielded.has(row.id));
        if (pending.length === 0) continue;
        const episodes = await this.#readRows(name, pending);
        if (!episodes) moved = true;
        for (const episode of episodes ?? []) {
          yielded.add(episode.id);
          yield episode;
        }
      }
    }
  }

  async sample(filter: EpisodeFilter, count: number, random: () => number): Promise<Episode[]> {
    const entries = await this.find(filter);
    const drawn: Episode[] = [];
    for (let from = 0; drawn.length < count && from < entries.length;) {
      const to = Math.min(from + count - drawn.length, entries.length);
      for (let i = from; i < to; i++) {
        const swapped = i + Math.floor(random() * (entries.length - i));
        [entries[i], entries[swapped]] = [entries[swapped]!, entries[i]!];
      }
      const chosen = entries.slice(from, to);
      const groups = [...this.#index.byFile(chosen)];
      const episodes = (await Promise.all(groups.map(([name, rows]) => this.#readRows(name, rows)))).flatMap(
        (f) => f ?? [],
      );
      const byId = new Map(episodes.map((episode) => [episode.id, episode]));
      drawn.push(...chosen.flatMap(({ row }) => byId.get(row.id) ?? []));
      from = to;
    }
    return drawn;
  }

  /** Returns matching rows that count, including waiting episodes. */
  async find(filter: EpisodeFilter): Promise<Entry[]> {
    const waiting = await this.#lookAround();
    return this.#index.find(filter, waiting);
  }

  async rows(): Promise<Row[]> {
    await this.#index.update(await this.files());
    return this.#index.find({}).map(({ row }) => row);
  }

  /** Returns each file's superseded rows, and the waiting episodes that count. */
  async outvoted(): Promise<{ files: ReadonlyMap<string, readonly number[]>; waiting: Waiting[] }> {
    const beside = this.#index.counted(await this.#lookAround());
    const waiting = [...beside.values()].flatMap(({ name }) => this.#ended.get(name) ?? []);
    return { files: this.#index.outvoted(beside), waiting };
  }

  /** @throws Error for a damaged file */
  async episodesOf(name: string, wanted?: ReadonlySet<number>): Promise<Found[]> {
    return decodeEpisodes(await this.#proved(name), wanted);
  }

  /** Returns a file's size and overhead in bytes, and its rows' references. */
  async referencesOf(name: string): Promise<{ size: number; frame: number; references: Reference[] }> {
    const bytes = await this.#proved(name);
    return { size: bytes.length, frame: frameLength(bytes), references: await decodeReferences(bytes) };
  }

  /** Moves episodes to a replacement. Until the old file is removed, both have them, and they count once. */
  async writeInPlaceOf(name: string, episodes: readonly Episode[]): Promise<void> {
    const bytes = encodeEpisodes(episodes);
    const written = this.#names.inPlaceOf(name, bytes);
    await this.#writeBytes(written, bytes);
    await this.#manifest.record([{ file: `episodes/${written}`, bytes, episodes: episodes.length }]);
  }

  async stored(): Promise<Map<string, Row['state']>> {
    return new Map((await this.rows()).map(({ id, state }) => [id, state]));
  }

  waitingElsewhere(): Promise<Waiting[]> {
    return this.#waiting.read();
  }

  runningElsewhere(): Promise<Episode[]> {
    return this.#waiting.unended({ alive: true });
  }

  abandoned(): Promise<Episode[]> {
    return this.#waiting.unended({ alive: false });
  }

  /** Lists waiting episodes before the files that they move to. */
  async #lookAround(): Promise<Waiting[]> {
    const waiting = await this.#waiting.read();
    this.#ended = new Map(waiting.map((each) => [each.name, each]));
    await this.#index.update(await this.files());
    return waiting;
  }

  async #rowsOf(name: string): Promise<readonly Row[] | undefined> {
    try {
      return await decodeRows(await this.#proved(name));
    } catch (error) {
      if (!isMissing(error)) this.#onDamage({ file: join('episodes', name), reason: messageOf(error) });
      return undefined;
    }
  }

  async #readRows(name: string, entries: readonly Entry[]): Promise<Episode[] | undefined> {
    const waiting = this.#ended.get(name);
    if (waiting) return [waiting.episode];
    let stored: Found[];
    try {
      stored = await this.episodesOf(name, new Set(entries.map(({ number }) => number)));
    } catch (error) {
      if (isMissing(error)) {
        // Also reached for a write-ahead file whose episode has moved to Parquet.
        this.#index.forget(name);
        return undefined;
      }
      stored = [{ damage: messageOf(error) }];
    }
    return stored.flatMap((each) => {
      if ('episode' in each) return [each.episode];
      this.#onDamage({ file: join('episodes', name), reason: each.damage });
      return [];
    });
  }

  async #proved(name: string): Promise<Uint8Array> {
    const bytes = await this.#fs.readFile(join(this.#layout.episodes, name));
    if (!matchesName(bytes, name)) throw new Error('its content does not match the checksum in its name');
    return bytes;
  }

  #isFull(): boolean {
    return this.#pending.length >= this.#batch || this.#pendingBytes >= fileBytes;
  }

  #write(cause: () => boolean): Promise<void> {
    const done = this.#writing.then(async () => {
      while (cause()) await this.#writeFile();
    });
    this.#writing = done.catch(() => undefined);
    return done;
  }

  async #writeFile(): Promise<void> {
    this.#unlisted ??= await this.#writeBatch();
    const { count, size, written } = this.#unlisted;
    await this.#manifest.record([written]);
    // A crash before this leaves write-ahead files, later duplicates, which are recognised by id.
    this.#unlisted = undefined;
    this.#pendingBytes -= size;
    await Promise.all(this.#pending.splice(0, count).map(({ stored }) => stored()));
  }

  async #writeBatch(): Promise<UnlistedFile> {
    let count = 0;
    let size = 0;
    while (count < Math.min(this.#pending.length, this.#batch) && size < fileBytes)
      size += this.#pending[count++]!.bytes;
    const bytes = encodeEpisodes(this.#pending.slice(0, count).map(({ episode }) => episode));
    const name = this.#names.episodes(Date.now(), bytes);
    await this.#writeBytes(name, bytes);
    return { count, size, written: { file: `episodes/${name}`, bytes, episodes: count } };
  }

  #writeBytes(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#layout.episodes, name);
    const aside = join(this.#layout.aside, this.#names.aside());
    return this.#manifest.guard(writeWhole(this.#fs, { path, aside, bytes, sync: true }));
  }
}

/** Bounds readers' memory. */
const fileBytes = 64 << 20;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
