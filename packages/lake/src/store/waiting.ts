import { join } from 'node:path';
import type { Episode } from '@gyre/protocol';
import type { Damage } from './episodeFiles.js';
import { type Row, rowOf } from './episodeFile.js';
import { type FileSystem, isMissing, readFrom, storageError } from './fileSystem.js';
import { ownerOf } from './layout.js';
import { ownerLives } from './lock/owner.js';
import { hasEnded, readWriteAhead, WriteAheadReader } from './writeAhead.js';

const unlessMissing = (path: string) => (error: unknown) => {
  if (isMissing(error)) return undefined;
  throw storageError(error, path);
};

/** A write-ahead file at a size; `waiting` if its episode has ended. */
interface Seen {
  readonly size: number;
  readonly waiting?: Waiting;
}

/** Finished, but not in Parquet yet. */
export interface Waiting {
  /** Relative to the lake. */
  readonly name: string;
  readonly episode: Episode;
  readonly row: Row;
}

/**
 * Reads finished episodes from other processes' write-ahead files. These are removed only once the episode is in
 * Parquet: reading here before Parquet misses none.
 */
export class WaitingEpisodes {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #ownerName: string;
  readonly #onDamage: (damage: Damage) => void;

  #known = new Map<string, Seen>();
  /** Readers of files that still grow. */
  readonly #readers = new Map<string, WriteAheadReader>();

  constructor(
    fs: FileSystem,
    folder: string,
    /** Excludes this owner's episodes. */
    ownerName: string,
    onDamage: (damage: Damage) => void,
  ) {
    this.#fs = fs;
    this.#folder = folder;
    this.#ownerName = ownerName;
    this.#onDamage = onDamage;
  }

  async read(): Promise<Waiting[]> {
    const names = await this.#fs.readdir(this.#folder).catch((error: unknown) => {
      throw storageError(error, this.#folder);
    });
    const known = new Map<string, Seen>();
    for (const name of names.sort()) {
      if (!name.endsWith('.jsonl') || ownerOf(name) === this.#ownerName) continue;
      const before = this.#known.get(name);
      const now = before?.waiting ? before : await this.#look(name, before);
      if (now) known.set(name, now);
    }
    this.#known = known;
    return [...known.values()].flatMap(({ waiting }) => waiting ?? []);
  }

  /** Returns the episodes of live or of dead processes that have not ended, as cut ones with the turns so far. */
  async unended({ alive }: { readonly alive: boolean }): Promise<Episode[]> {
    await this.read();
    const episodes: Episode[] = [];
    const lives = new Map<string, boolean>();
    for (const [name, { waiting }] of this.#known) {
      if (waiting) continue;
      const owner = ownerOf(name);
      if (!lives.has(owner)) lives.set(owner, await ownerLives(this.#fs, this.#folder, owner));
      if (lives.get(owner) !== alive) continue;
      const episode = await this.#readUnended(name);
      // It may have ended since.
      if (episode?.end.state === 'cut') episodes.push(episode);
    }
    for (const name of this.#readers.keys()) if (!this.#known.has(name)) this.#readers.delete(name);
    return episodes;
  }

  async #readUnended(name: string): Promise<Episode | undefined> {
    const path = join(this.#folder, name);
    const { size } = (await this.#fs.stat(path).catch(unlessMissing(path))) ?? {};
    if (size === undefined) return undefined;
    let reader = this.#readers.get(name);
    // A file that was taken over is written again.
    if (!reader || size < reader.offset) this.#readers.set(name, (reader = new WriteAheadReader()));
    if (size > reader.offset) {
      const bytes = await readFrom(this.#fs, path, reader.offset).catch(unlessMissing(path));
      if (!bytes) return undefined;
      reader.append(bytes);
    }
    return reader.content.episode;
  }

  async #look(name: string, before?: Seen): Promise<Seen | undefined> {
    const path = join(this.#folder, name);
    try {
      const { size } = await this.#fs.stat(path);
      if (size === before?.size) return before;
      const bytes = await this.#fs.readFile(path);
      if (!hasEnded(bytes)) return { size: bytes.length };
      const { episode, damage } = readWriteAhead(bytes);
      const file = join('wal', name);
      if (damage !== undefined) this.#onDamage({ file, reason: damage });
      if (damage !== undefined || !episode) return { size: bytes.length };
      return { size: bytes.length, waiting: { name: file, episode, row: rowOf(episode) } };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storageError(error, path);
    }
  }
}
