import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { checksum } from './checksum.js';
import { type FileSystem, makeFolder } from './fileSystem.js';

/** Where things lie in a lake. */
export interface Layout {
  readonly root: string;
  /** Screenshots by content. */
  readonly blobs: string;
  /** Immutable Parquet files. */
  readonly episodes: string;
  /** Records of updates of training. */
  readonly updates: string;
  /** Episodes that are not in Parquet yet, and the owner files of those who write them. */
  readonly wal: string;
  /** Files that are not whole yet. A rename takes them out of here. */
  readonly aside: string;
  /** Files with bytes that are not what was written, kept for a look. */
  readonly damaged: string;
}

export async function makeLayout(fs: FileSystem, root: string): Promise<Layout> {
  const folder = (name: string) => makeFolder(fs, root, name);
  return {
    root,
    blobs: await folder('blobs'),
    episodes: await folder('episodes'),
    updates: await folder('updates'),
    wal: await folder('wal'),
    aside: await folder('aside'),
    damaged: join(root, 'damaged'),
  };
}

/**
 * Names of unfinished files: `OWNER.NUMBER.REST`. The owner says who may write it, the number makes it unique.
 */
export class Names {
  private count = 0;
  private latest = 0;

  constructor(readonly owner: string) {}

  aside(): string {
    return `${this.owner}.${this.count++}`;
  }

  writeAhead(episodeId: string): string {
    const id = encodeURIComponent(Buffer.from(episodeId).toString()).replaceAll('.', '%2E');
    // A file name holds 255 bytes.
    const short =
      id.length <= 120 ? id : `${id.slice(0, 100)}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`;
    return `${this.owner}.${this.count++}.${short}.jsonl`;
  }

  /** The same file in the hands of another owner. */
  taken(name: string): string {
    return `${this.owner}.${this.count++}.${name.split('.').slice(2).join('.')}`;
  }

  /**
   * Sorts by the time of writing, within a process also when the clock is set back, and ends in the file's checksum: a
   * Parquet reader can be led astray for hours by one wrong bit, so the bytes are proved before it sees them.
   */
  episodes(now: number, bytes: Uint8Array): string {
    return `${this.stamped(now, bytes)}.parquet`;
  }

  /** Sorts and is proved likewise. */
  update(now: number, bytes: Uint8Array): string {
    return `${this.stamped(now, bytes)}.json`;
  }

  /** For what is left of the episodes of a file: it sorts where that file does. */
  inPlaceOf(name: string, bytes: Uint8Array): string {
    const time = name.split('-').slice(0, 2).join('-');
    return `${time}-${this.owner}-${this.count++}-${checksum(bytes)}.parquet`;
  }

  private stamped(now: number, bytes: Uint8Array): string {
    this.latest = Math.max(this.latest, now);
    const time = new Date(this.latest).toISOString().replaceAll(/[-:.]/g, '');
    return `${time}-${String(this.count++).padStart(8, '0')}-${this.owner}-${checksum(bytes)}`;
  }
}

export function matchesName(bytes: Uint8Array, name: string): boolean {
  return /-([0-9a-f]{8})\.(parquet|jsonl?)$/.exec(name)?.[1] === checksum(bytes);
}

export function ownerOf(name: string): string {
  return name.split('.')[0] ?? name;
}
