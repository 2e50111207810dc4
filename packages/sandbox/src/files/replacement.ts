import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { errno, refusal } from './failure.js';
import { at, type Place, type Tree } from './tree.js';

const prefix = '.gyre-';
const suffix = '.part';

/** Is it the name of a file that is being written? */
export function isPart(name: string): boolean {
  return name.startsWith(prefix) && name.endsWith(suffix);
}

/**
 * Puts a whole new file where a path leads, at once: who reads it sees the old or the new one. Another name of the old
 * file (a hard link) keeps the old. Throws `bad_input` where something other than a file stands there.
 */
export async function replace(
  tree: Tree,
  place: Place,
  { path, exclusive, mode }: { path: string; exclusive?: boolean; mode?: number | undefined },
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const old = place.entry?.stats;
  if (old !== undefined && exclusive === true) throw errno('EEXIST');
  if (old?.isDirectory() === true) throw errno('EISDIR');
  if (old !== undefined && !old.isFile()) throw special(path);
  const temporary = at(place.folder, `${prefix}${randomUUID()}${suffix}`);
  const file = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    try {
      await write(file);
      await tree.own(file);
      // What sets a user or group is not handed on to new content.
      await file.chmod((mode ?? old?.mode ?? 0o644) & 0o777);
    } finally {
      await file.close();
    }
    // Unlike renaming, linking does not replace what has come meanwhile.
    await (exclusive === true ? link : rename)(temporary, at(place.folder, place.name));
    if (exclusive === true) await unlink(temporary);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

export function special(path: string): Error {
  return refusal(path, 'is no regular file', 'pipes, sockets and devices can be used in the shell only');
}
