import type { EpisodeEnd, Split } from '@gyre/protocol';
import type { Row } from '../store/episodeFile.js';

/** An absent field matches all. */
export interface EpisodeFilter {
  readonly purpose?: string;
  readonly family?: string | readonly string[];
  readonly split?: Split;
  readonly policy?: string;
  readonly state?: EpisodeEnd['state'];
  readonly success?: boolean;
  readonly ids?: Iterable<string>;
}

export interface Entry {
  readonly name: string;
  readonly number: number;
  readonly row: Row;
}

/** Indexes rows: of those with one id, the first with a verdict counts, else the first `infra_error`, else the last. Each immutable file is read once. */
export class EpisodeIndex {
  readonly #read: (name: string) => Promise<readonly Row[] | undefined>;

  readonly #rows = new Map<string, readonly Row[]>();
  readonly #best = new Map<string, Entry>();
  /** In order of writing. */
  #names: readonly string[] = [];
  /** Until the files change. */
  #outvoted: ReadonlyMap<string, readonly number[]> | undefined;

  /** @param read returns undefined for a removed or damaged file */
  constructor(read: (name: string) => Promise<readonly Row[] | undefined>) {
    this.#read = read;
  }

  async update(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const rows = this.#rows.has(name) ? undefined : await this.#read(name);
      if (rows) this.#rows.set(name, rows);
    }
    const there = names.filter((name) => this.#rows.has(name));
    if (there.join() !== this.#names.join()) this.#outvoted = undefined;
    const grown = this.#names.every((name, i) => there[i] === name);
    if (!grown) {
      this.#best.clear();
      const present = new Set(there);
      for (const name of this.#rows.keys()) if (!present.has(name)) this.#rows.delete(name);
    }
    for (const name of there.slice(grown ? this.#names.length : 0)) {
      for (const [number, row] of this.#rows.get(name)!.entries()) {
        if (prevails(row, this.#best.get(row.id)?.row)) this.#best.set(row.id, { name, number, row });
      }
    }
    this.#names = there;
  }

  forget(name: string): void {
    this.#outvoted = undefined;
    this.#rows.delete(name);
  }

  find({ ids, ...filter }: EpisodeFilter, waiting: readonly { name: string; row: Row }[] = []): Entry[] {
    const matches = matcher(filter);
    const matching: Entry[] = [];
    const beside = this.counted(waiting);
    const add = (entry: Entry | undefined) => {
      if (entry && matches(entry.row)) matching.push(entry);
    };
    if (ids) for (const id of new Set(ids)) add(beside.get(id) ?? this.#best.get(id));
    else {
      for (const entry of this.#best.values()) if (!beside.has(entry.row.id)) add(entry);
      for (const entry of beside.values()) add(entry);
    }
    return matching;
  }

  /** Returns the waiting episodes that precede those in files, by id. */
  counted(waiting: readonly { name: string; row: Row }[]): Map<string, Entry> {
    const counted = new Map<string, Entry>();
    for (const { name, row } of waiting) {
      const previous = counted.get(row.id)?.row ?? this.#best.get(row.id)?.row;
      // A copy of a row in Parquet does not count.
      if (!previous || rankOf(row) > rankOf(previous)) counted.set(row.id, { name, number: 0, row });
    }
    return counted;
  }

  byFile(entries: Iterable<Entry>): Map<string, Entry[]> {
    const groups = new Map<string, Entry[]>(this.#names.map((name) => [name, []]));
    for (const entry of entries) {
      const group = groups.get(entry.name);
      if (group) group.push(entry);
      else if (entry.name.startsWith('wal')) groups.set(entry.name, [entry]);
    }
    for (const [name, group] of groups) if (group.length === 0) groups.delete(name);
    return groups;
  }

  /** @param beside entries that precede them */
  outvoted(beside: ReadonlyMap<string, Entry> = new Map()): ReadonlyMap<string, readonly number[]> {
    if (beside.size > 0) return this.#vote(beside);
    return (this.#outvoted ??= this.#vote(beside));
  }

  #vote(beside: ReadonlyMap<string, Entry>): Map<string, number[]> {
    return new Map(
      this.#names.map((name) => {
        const counts = ({ id }: Row, number: number) => {
          const best = beside.get(id) ?? this.#best.get(id);
          return best?.name === name && best.number === number;
        };
        return [name, this.#rows.get(name)!.flatMap((row, number) => (counts(row, number) ? [] : [number]))];
      }),
    );
  }
}

/** A later cut version exists only if it has more turns. */
function prevails(row: Row, other: Row | undefined): boolean {
  return !other || rankOf(row) > rankOf(other) || (other.state === 'cut' && row.state === 'cut');
}

/** A job that is played again has the same id: its verdict counts before a fault or a cut. */
function rankOf({ state }: Row): number {
  if (state === 'cut') return 0;
  return state === 'infra_error' ? 1 : 2;
}

function matcher({ family, ...filter }: Omit<EpisodeFilter, 'ids'>): (row: Row) => boolean {
  const families = family === undefined ? undefined : new Set(typeof family === 'string' ? [family] : family);
  const fields = (Object.keys(filter) as (keyof typeof filter)[]).filter((field) => filter[field] !== undefined);
  return (row) => fields.every((field) => row[field] === filter[field]) && (!families || families.has(row.family));
}
