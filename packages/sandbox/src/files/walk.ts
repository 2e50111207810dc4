import type { Stats } from 'node:fs';
import { opendir, type FileHandle } from 'node:fs/promises';
import { isCode } from './failure.js';
import type { Tree } from './tree.js';

/** Folders in folders, as deep as is ever walked. */
export const maxDepth = 100;

/** Something that is met on a walk. The handles hold until the next is asked for. */
export interface Met {
  readonly folder: FileHandle;
  readonly name: string;
  /** From where the walk began. */
  readonly names: readonly string[];
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * Everything below a folder, a folder before what is in it, to a depth; links are met, not followed. What vanishes
 * meanwhile, and what has no name in UTF-8, is passed over.
 */
export async function* walk(
  tree: Tree,
  folder: FileHandle,
  depth: number,
  names: readonly string[] = [],
): AsyncGenerator<Met> {
  const directory = await opendir(`/proc/self/fd/${folder.fd}`);
  for await (const { name } of directory) {
    let handle;
    try {
      handle = await tree.look(folder, name);
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

/** Nothing where a folder may not be listed. */
async function* readable(entries: AsyncGenerator<Met>): AsyncGenerator<Met> {
  try {
    yield* entries;
  } catch (error) {
    if (!isCode(error, 'EACCES', 'ENOENT')) throw error;
  }
}
