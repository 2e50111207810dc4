import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns a clone's commit; without git, the day of a file or folder in it.
 *
 * @param landmark relative to the clone
 */
export async function commitOf(clone: string, landmark: string): Promise<string> {
  try {
    const head = (await readFile(join(clone, '.git', 'HEAD'), 'utf8')).trim();
    const branch = /^ref: (.+)$/.exec(head)?.[1];
    const commit = branch === undefined ? head : (await readFile(join(clone, '.git', branch), 'utf8')).trim();
    return commit.slice(0, 12);
  } catch {
    const { mtime } = await stat(join(clone, landmark));
    return mtime.toISOString().slice(0, 10);
  }
}

/** Returns the name of an agent's folder among results. */
export const playerFolder = (player: string) => player.replace(/[^\w.-]+/g, '_');
