import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { errno, refusal } from './failure.js';
import { pathIn, type Place, type Tree } from './tree.js';

const prefix = '.gyre-';
const suffix = '.part';

/** Recognises files being written. */
export function isPart(name: string): boolean {
  return name.startsWith(prefix) && name.endsWith(suffix);
}

/** Replaces a file atomically; other hard links keep the old content. Throws `bad_input` for anything but a file. */
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
  const temporary = pathIn(place.folder, `${prefix}${randomUUID()}${suffix}`);
  const file = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
  try {
    try {
      await write(file);
      await tree.giveToOwner(file);
      // New content must not inherit setuid or setgid.
      await file.chmod((mode ?? old?.mode ?? 0o644) & 0o777);
    } finally {
      await file.close();
    }
    // Unlike rename, link does not replace a file created meanwhile.
    await (exclusive === true ? link : rename)(temporary, pathIn(place.folder, place.name));
    if (exclusive === true) await unlink(temporary);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

export function special(path: string): Error {
  return refusal(path, 'is not a regular file', 'use the shell for pipes, sockets and devices');
}
