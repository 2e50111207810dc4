import type { EpisodeEnd, Split } from '@gyre/protocol';
import type { Row } from '../store/episodeFile.js';

/** Which episodes. A field that is left out allows everything. */
export interface EpisodeFilter {
  readonly purpose?: string;
  /** One, or any of several. */
  readonly family?: string | readonly string[];
  readonly split?: Split;
  readonly policy?: string;
  readonly state?: EpisodeEnd['state'];
  readonly success?: boolean;
  readonly ids?: Iterable<string>;
}

/** A row of a Parquet file, or the episode of a write-ahead file. */
export interface Entry {
  readonly name: string;
  readonly number: number;
  readonly row: Row;
}

/**
 * The rows that count, in memory: of rows with one id the first whole one, else the last. Files never change, so each is
 * read once; they may go, when their episodes are pruned.
 */
export class EpisodeIndex {
  private readonly rows = new Map<string, readonly Row[]>();
  private readonly best = new Map<string, Entry>();
  /** The files that `best` is of, in the order of their writing. */
  private names: readonly string[] = [];

  /** @param read the rows of a file; undefined for one that is gone or damaged. */
  constructor(private readonly read: (name: string) => Promise<readonly Row[] | undefined>) {}

  /** @param names of all files, in the order of their writing. */
  async update(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const rows = this.rows.has(name) ? undefined : await this.read(name);
      if (rows) this.rows.set(name, rows);
    }
    const there = names.filter((name) => this.rows.has(name));
    const grown = this.names.every((name, i) => there[i] === name);
    if (!grown) {
      this.best.clear();
      const kept = new Set(there);
      for (const name of this.rows.keys()) if (!kept.has(name)) this.rows.delete(name);
    }
    for (const name of there.slice(grown ? this.names.length : 0)) {
      for (const [number, row] of this.rows.get(name)!.entries()) {
        if (prevails(row, this.best.get(row.id)?.row)) this.best.set(row.id, { name, number, row });
      }
    }
    this.names = there;
  }

  /** Has a file read again, should it be there. */
  forget(name: string): void {
    this.rows.delete(name);
  }

  /** @param waiting episodes that are not in these files; those that count are found too. */
  find({ ids, ...filter }: EpisodeFilter, waiting: readonly { name: string; row: Row }[] = []): Entry[] {
    const matches = matcher(filter);
    const found: Entry[] = [];
    const beside = this.counted(waiting);
    const add = (entry: Entry | undefined) => {
      if (entry && matches(entry.row)) found.push(entry);
    };
    if (ids) for (const id of new Set(ids)) add(beside.get(id) ?? this.best.get(id));
    else {
      for (const entry of this.best.values()) if (!beside.has(entry.row.id)) add(entry);
      for (const entry of beside.values()) add(entry);
    }
    return found;
  }

  /** Those of the waiting episodes that count before what the files have, by id. */
  counted(waiting: readonly { name: string; row: Row }[]): Map<string, Entry> {
    const counted = new Map<string, Entry>();
    for (const { name, row } of waiting) {
      const other = counted.get(row.id)?.row ?? this.best.get(row.id)?.row;
      // A copy of what is in Parquet, whose write-ahead file is about to go, is none.
      if (!other || (other.state === 'cut' && row.state !== 'cut')) counted.set(row.id, { name, number: 0, row });
    }
    return counted;
  }

  /** By file, in the order of writing; files of no entry are left out. */
  byFile(entries: Iterable<Entry>): Map<string, Entry[]> {
    const groups = new Map<string, Entry[]>(this.names.map((name) => [name, []]));
    for (const entry of entries) {
      const group = groups.get(entry.name);
      if (group) group.push(entry);
      else if (entry.name.startsWith('wal')) groups.set(entry.name, [entry]);
    }
    for (const [name, group] of groups) if (group.length === 0) groups.delete(name);
    return groups;
  }

  /** Every file with the numbers of its rows that do not count. @param beside what counts before them. */
  outvoted(beside: ReadonlyMap<string, Entry> = new Map()): Map<string, number[]> {
    return new Map(
      this.names.map((name) => {
        const counts = ({ id }: Row, number: number) => {
          const best = beside.get(id) ?? this.best.get(id);
          return best?.name === name && best.number === number;
        };
        return [name, this.rows.get(name)!.flatMap((row, number) => (counts(row, number) ? [] : [number]))];
      }),
    );
  }
}

/** Whether a row counts before an earlier one of its id. A later cut version is there only where it tells more. */
function prevails(row: Row, other: Row | undefined): boolean {
  return !other || other.state === 'cut';
}

function matcher({ family, ...filter }: Omit<EpisodeFilter, 'ids'>): (row: Row) => boolean {
  const families = family === undefined ? undefined : new Set(typeof family === 'string' ? [family] : family);
  const fields = (Object.keys(filter) as (keyof typeof filter)[]).filter((field) => filter[field] !== undefined);
  return (row) => fields.every((field) => row[field] === filter[field]) && (!families || families.has(row.family));
}
