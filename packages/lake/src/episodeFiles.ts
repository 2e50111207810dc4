import { join } from 'node:path';
import type { Episode, EpisodeEnd, Split } from '@gyre/protocol';
import { type Found, type Row, decodeEpisodes, decodeRows, encodeEpisodes } from './episodeFile.js';
import { type FileSystem, writeWhole } from './fileSystem.js';
import { type Layout, type Names, matchesName } from './layout.js';

/** Which episodes. A field that is left out allows everything. */
export interface EpisodeFilter {
  readonly purpose?: string;
  readonly family?: string;
  readonly split?: Split;
  readonly policy?: string;
  readonly state?: EpisodeEnd['state'];
  readonly success?: boolean;
  readonly ids?: Iterable<string>;
}

/** A file of the lake that is not what it should be. */
export interface Damage {
  /** Path below the lake's folder. */
  readonly file: string;
  readonly reason: string;
}

interface Pending {
  readonly episode: Episode;
  /** Size as JSON. */
  readonly bytes: number;
  /** Called when the episode is in Parquet, to put its write-ahead file away. */
  readonly stored: () => Promise<void>;
}

/** The Parquet files: those that are there, and the episodes that wait to be written to the next one. */
export class EpisodeFiles {
  private readonly pending: Pending[] = [];
  private pendingBytes = 0;
  private writing: Promise<unknown> = Promise.resolve();
  private readonly rows = new Map<string, readonly Row[]>();

  constructor(
    private readonly fs: FileSystem,
    private readonly layout: Layout,
    private readonly names: Names,
    private readonly batch: number,
    private readonly onDamage: (damage: Damage) => void,
  ) {}

  /** Writes a file when a batch is full. */
  async add(pending: Pending): Promise<void> {
    this.pending.push(pending);
    this.pendingBytes += pending.bytes;
    if (this.isFull()) await this.write(() => this.isFull());
  }

  flush(): Promise<void> {
    return this.write(() => this.pending.length > 0);
  }

  /** The names of the files, in the order of their writing. */
  async files(): Promise<string[]> {
    return (await this.fs.readdir(this.layout.episodes)).filter((name) => name.endsWith('.parquet')).sort();
  }

  async *read(filter: EpisodeFilter): AsyncIterable<Episode> {
    const matches = matcher(filter);
    for (const [name, rows] of await this.index()) {
      const wanted = new Set([...rows].filter(([, row]) => matches(row)).map(([number]) => number));
      if (wanted.size === 0) continue;
      const found = await this.episodesOf(name, wanted).catch((error: unknown) => [{ damage: messageOf(error) }]);
      for (const each of found) {
        if ('episode' in each) yield each.episode;
        else this.onDamage({ file: join('episodes', name), reason: each.damage });
      }
    }
  }

  /**
   * The episodes of one file, all or those in the `wanted` rows.
   * @throws an Error that says why, for a file that is not what was written.
   */
  async episodesOf(name: string, wanted?: ReadonlySet<number>): Promise<Found[]> {
    return decodeEpisodes(await this.proved(name), wanted);
  }

  /** The episodes in Parquet by id: whether each is there whole, or only cut. */
  async stored(): Promise<Map<string, 'whole' | 'cut'>> {
    const found = new Map<string, 'whole' | 'cut'>();
    for (const rows of (await this.index()).values()) {
      for (const { id, state } of rows.values()) found.set(id, state === 'cut' ? 'cut' : 'whole');
    }
    return found;
  }

  /** The rows that count, by file and row number: of rows with one id the first whole one, else the first. */
  private async index(): Promise<Map<string, Map<number, Row>>> {
    const best = new Map<string, { name: string; number: number; row: Row }>();
    const names = await this.files();
    for (const name of names) {
      for (const [number, row] of (await this.rowsOf(name)).entries()) {
        const other = best.get(row.id)?.row;
        if (!other || (other.state === 'cut' && row.state !== 'cut')) best.set(row.id, { name, number, row });
      }
    }
    const index = new Map(names.map((name) => [name, new Map<number, Row>()]));
    for (const { name, number, row } of best.values()) index.get(name)?.set(number, row);
    return index;
  }

  /** Files never change, so each is read once. */
  private async rowsOf(name: string): Promise<readonly Row[]> {
    const known = this.rows.get(name);
    if (known) return known;
    try {
      const rows = await decodeRows(await this.proved(name));
      this.rows.set(name, rows);
      return rows;
    } catch (error) {
      this.onDamage({ file: join('episodes', name), reason: messageOf(error) });
      return [];
    }
  }

  private async proved(name: string): Promise<Uint8Array> {
    const bytes = await this.fs.readFile(join(this.layout.episodes, name));
    if (!matchesName(bytes, name)) throw new Error('its bytes do not match the checksum in its name');
    return bytes;
  }

  private isFull(): boolean {
    return this.pending.length >= this.batch || this.pendingBytes >= fileBytes;
  }

  /** Writes files as long as there is `cause` to. */
  private write(cause: () => boolean): Promise<void> {
    const done = this.writing.then(async () => {
      while (cause()) await this.writeFile();
    });
    this.writing = done.catch(() => undefined);
    return done;
  }

  private async writeFile(): Promise<void> {
    let count = 0;
    let size = 0;
    while (count < Math.min(this.pending.length, this.batch) && size < fileBytes) size += this.pending[count++]!.bytes;
    const episodes = this.pending.slice(0, count);
    const bytes = encodeEpisodes(episodes.map(({ episode }) => episode));
    await writeWhole(this.fs, {
      path: join(this.layout.episodes, this.names.episodes(Date.now(), bytes)),
      aside: join(this.layout.aside, this.names.aside()),
      bytes,
      sync: true,
    });
    // Only now: until here a crash leaves the write-ahead files, from here on a double is known by its id.
    this.pending.splice(0, count);
    this.pendingBytes -= size;
    await Promise.all(episodes.map(({ stored }) => stored()));
  }
}

/** About how much JSON goes into one file at most, so that reading it takes bounded memory. */
const fileBytes = 64 << 20;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function matcher({ ids, ...filter }: EpisodeFilter): (row: Row) => boolean {
  const idSet = ids && new Set(ids);
  const fields = (Object.keys(filter) as (keyof typeof filter)[]).filter((field) => filter[field] !== undefined);
  return (row) => (!idSet || idSet.has(row.id)) && fields.every((field) => row[field] === filter[field]);
}
