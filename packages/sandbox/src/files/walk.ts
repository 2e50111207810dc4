import type { Stats } from 'node:fs';
import { opendir, type FileHandle } from 'node:fs/promises';
import { isCode } from './failure.js';
import type { Tree } from './tree.js';

export const maxDepth = 100;

/** Handles are valid until the next entry. */
export interface WalkEntry {
  readonly folder: FileHandle;
  readonly name: string;
  readonly names: readonly string[];
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * Yields folders before their contents and does not follow links. Skips entries that vanish meanwhile or whose names
 * are not UTF-8.
 */
export async function* walk(
  tree: Tree,
  folder: FileHandle,
  depth: number,
  names: readonly string[] = [],
): AsyncGenerator<WalkEntry> {
  const directory = await opendir(`/proc/self/fd/${folder.fd}`);
  for await (const { name } of directory) {
    let handle;
    try {
      handle = await tree.openPath(folder, name);
    } catch (error) {
      if (isCode(error, 'ENOENT', 'EACCES', 'ENAMETOOLONG')) continue;
      throw error;
    }
    try {
      const stats = await handle.stat();
      const met = { folder, name, names: [...names, name], handle, stats };
      yield met;
      if (stats.isDirectory() && depth > 1) yield* readable(walk(tree, handle, depth - 1, met.names));
    } finally {
      await handle.close();
    }
  }
}

/** Skips unreadable folders. */
async function* readable(entries: AsyncGenerator<WalkEntry>): AsyncGenerator<WalkEntry> {
  try {
    yield* entries;
  } catch (error) {
    if (!isCode(error, 'EACCES', 'ENOENT')) throw error;
  }
}
