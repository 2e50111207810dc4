import type { Stats } from 'node:fs';
import { readlink, type FileHandle } from 'node:fs/promises';
import { pathIn } from './tree.js';

export interface FileEntry {
  /** Relative to the home. */
  readonly path: string;
  /** `other`: pipe, socket or device; can be moved and removed, not read or written. */
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /** In bytes; 0 for folders. */
  readonly size: number;
  readonly modified: Date;
  /** Such as 0o644. */
  readonly mode: number;
  /** As written. May dangle; never followed out of the home. */
  readonly target?: string;
}

export function typeOf(stats: Stats): FileEntry['type'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

export async function entryOf(
  folder: FileHandle,
  name: string,
  names: readonly string[],
  stats: Stats,
): Promise<FileEntry> {
  const type = typeOf(stats);
  const target = type === 'link' ? await readlink(pathIn(folder, name)).catch(() => undefined) : undefined;
  return {
    path: names.join('/'),
    type,
    size: type === 'folder' ? 0 : stats.size,
    modified: stats.mtime,
    mode: stats.mode & 0o7777,
    ...(target === undefined ? {} : { target }),
  };
}
