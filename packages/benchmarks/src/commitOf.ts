import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns a clone's commit; without git, the day of a folder in it. */
export async function commitOf(clone: string, folder: string): Promise<string> {
  try {
    const head = (await readFile(join(clone, '.git', 'HEAD'), 'utf8')).trim();
    const branch = /^ref: (.+)$/.exec(head)?.[1];
    const commit = branch === undefined ? head : (await readFile(join(clone, '.git', branch), 'utf8')).trim();
    return commit.slice(0, 12);
  } catch {
    const { mtime } = await stat(join(clone, folder));
    return mtime.toISOString().slice(0, 10);
  }
}
