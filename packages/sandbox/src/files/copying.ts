import { rmdir, symlink, unlink, type FileHandle } from 'node:fs/promises';
import { entryOf } from './entry.js';
import { refusal } from './failure.js';
import { readRange } from './reading.js';
import { replace } from './replacement.js';
import { pathIn, reopen, type Place, type Tree } from './tree.js';
import { maxDepth, walk } from './walk.js';

type Found = NonNullable<Place['entry']>;

export interface Budget {
  bytes: number;
  entries: number;
}

export interface Copying {
  readonly tree: Tree;
  readonly path: string;
  readonly budget: Budget;
  readonly check: (file: Found) => void;
}

const chunk = 2 ** 18;

export async function copyFile(copying: Copying, from: Found, to: Place): Promise<void> {
  const { tree, path, budget, check } = copying;
  const { handle, stats } = from;
  check(from);
  if ((budget.bytes -= stats.size) < 0) throw refusal(path, 'holds too many bytes', 'use the shell to copy it', 'from');
  const source = await reopen(handle);
  try {
    await replace(tree, to, { path, mode: stats.mode }, async (file) => {
      for (let done = 0; done < stats.size;) {
        const bytes = await readRange(source, done, Math.min(chunk, stats.size - done));
        if (bytes.length === 0) break;
        await file.writeFile(bytes);
        done += bytes.length;
      }
    });
  } finally {
    await source.close();
  }
}

/** Copies links as links. */
export async function copyFolder(
  copying: Copying,
  from: FileHandle,
  to: Pick<Place, 'folder' | 'name'>,
  depth = maxDepth,
): Promise<void> {
  const { tree, path, budget } = copying;
  if (depth === 0) throw tooDeep(path, 'from');
  const created = await tree.make(to.folder, to.name);
  try {
    for await (const { folder, name, handle, stats } of walk(tree, from, 1)) {
      if ((budget.entries -= 1) < 0) throw refusal(path, 'holds too many files', 'use the shell to copy it', 'from');
      const target: Place = { folder: created, name, names: [name], entry: undefined, close: async () => {} };
      if (stats.isDirectory()) await copyFolder(copying, handle, target, depth - 1);
      else if (stats.isFile()) await copyFile(copying, { handle, stats }, target);
      else if (stats.isSymbolicLink()) {
        const link = await entryOf(folder, name, [], stats);
        if (link.target !== undefined) await symlink(link.target, pathIn(created, name));
      }
    }
  } finally {
    await created.close();
  }
}

export async function emptyFolder(tree: Tree, path: string, folder: FileHandle, depth = maxDepth): Promise<void> {
  if (depth === 0) throw tooDeep(path, 'path');
  for await (const { name, handle, stats } of walk(tree, folder, 1)) {
    if (stats.isDirectory()) await emptyFolder(tree, path, handle, depth - 1);
    await (stats.isDirectory() ? rmdir : unlink)(pathIn(folder, name));
  }
}

function tooDeep(path: string, field: string): Error {
  return refusal(path, `has folders nested more than ${maxDepth} deep`, 'use the shell', field);
}
