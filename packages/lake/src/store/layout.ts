import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { checksum } from './checksum.js';
import { type FileSystem, makeFolder } from './fileSystem.js';

export interface Layout {
  readonly root: string;
  readonly blobs: string;
  /** Immutable Parquet files. */
  readonly episodes: string;
  readonly updates: string;
  readonly reviews: string;
  /** Recordings of people, by content. */
  readonly audio: string;
  readonly speech: string;
  /** Write-ahead files of episodes, and the files of their owners. */
  readonly wal: string;
  /** Renamed once complete. */
  readonly aside: string;
  readonly damaged: string;
}

export async function makeLayout(fs: FileSystem, root: string): Promise<Layout> {
  const folder = (name: string) => makeFolder(fs, root, name);
  return {
    root,
    blobs: await folder('blobs'),
    episodes: await folder('episodes'),
    updates: await folder('updates'),
    reviews: await folder('reviews'),
    audio: await folder('audio'),
    speech: await folder('speech'),
    wal: await folder('wal'),
    aside: await folder('aside'),
    damaged: join(root, 'damaged'),
  };
}

/** Names unfinished files `OWNER.NUMBER.REST`. */
export class Names {
  #count = 0;
  #latest = 0;

  constructor(readonly owner: string) {}

  aside(): string {
    return `${this.owner}.${this.#count++}`;
  }

  writeAhead(episodeId: string): string {
    const id = encodeURIComponent(Buffer.from(episodeId).toString()).replaceAll('.', '%2E');
    // A file name holds 255 bytes.
    const short =
      id.length <= 120 ? id : `${id.slice(0, 100)}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
    return `${this.owner}.${this.#count++}.${short}.jsonl`;
  }

  taken(name: string): string {
    return `${this.owner}.${this.#count++}.${name.split('.').slice(2).join('.')}`;
  }

  /**
   * Returns a name that sorts by time and ends in the checksum. Readers verify it first: a wrong bit can lead a Parquet
   * reader astray for hours.
   */
  episodes(now: number, bytes: Uint8Array): string {
    return `${this.#stamped(now, bytes)}.parquet`;
  }

  record(now: number, bytes: Uint8Array): string {
    return `${this.#stamped(now, bytes)}.json`;
  }

  /** Returns a replacement's name, which sorts like the original. */
  inPlaceOf(name: string, bytes: Uint8Array): string {
    const time = name.split('-').slice(0, 2).join('-');
    return `${time}-${this.owner}-${this.#count++}-${checksum(bytes)}.parquet`;
  }

  #stamped(now: number, bytes: Uint8Array): string {
    this.#latest = Math.max(this.#latest, now);
    const time = new Date(this.#latest).toISOString().replaceAll(/[-:.]/g, '');
    return `${time}-${String(this.#count++).padStart(8, '0')}-${this.owner}-${checksum(bytes)}`;
  }
}

export function matchesName(bytes: Uint8Array, name: string): boolean {
  return /-([0-9a-f]{8})\.(parquet|jsonl?)$/.exec(name)?.[1] === checksum(bytes);
}

export function ownerOf(name: string): string {
  return name.split('.')[0] ?? name;
}
