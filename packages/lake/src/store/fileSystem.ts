import type * as promises from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { GyreError } from '@gyre/protocol';

export type FileSystem = Pick<
  typeof promises,
  'open' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'readdir' | 'readFile' | 'stat' | 'utimes'
>;

/**
 * Replaces a file atomically; with `sync` it survives power loss. Tests pass a file system that fills up, unlike
 * write-file-atomic.
 */
export async function writeWhole(
  fs: FileSystem,
  { path, aside, bytes, sync }: { path: string; aside: string; bytes: Uint8Array; sync: boolean },
): Promise<void> {
  try {
    const handle = await fs.open(aside, 'wx');
    try {
      await handle.writeFile(bytes);
      if (sync) await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(aside, path);
    if (sync) await syncFolder(fs, dirname(path));
  } catch (error) {
    await removeFile(fs, aside);
    throw storageError(error, path);
  }
}

/** Creates a synced file atomically. Returns false if the name exists. */
export async function placeNew(
  fs: FileSystem,
  { path, aside, bytes }: { path: string; aside: string; bytes: Uint8Array },
): Promise<boolean> {
  try {
    await writeSynced(fs, aside, bytes);
    const linked = await fs.link(aside, path).then(
      () => true,
      (error: unknown) => (codeOf(error) === 'EEXIST' ? false : undefined),
    );
    // Without links, readers take it for damaged until it is complete.
    if (linked === undefined) await writeSynced(fs, path, bytes);
    await syncFolder(fs, dirname(path));
    // A network link may succeed although its answer is lost.
    return linked !== false || Buffer.from(await fs.readFile(path)).equals(bytes);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw storageError(error, path);
  } finally {
    await removeFile(fs, aside);
  }
}

async function writeSynced(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const handle = await fs.open(path, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await removeFile(fs, path);
    throw error;
  } finally {
    await handle.close();
  }
}

export async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function makeFolder(fs: FileSystem, ...parts: string[]): Promise<string> {
  const path = join(...parts);
  try {
    await fs.mkdir(path, { recursive: true });
  } catch (error) {
    throw storageError(error, path);
  }
  return path;
}

export async function removeFile(fs: FileSystem, path: string): Promise<void> {
  await fs.unlink(path).catch(() => undefined);
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

const fixes: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space on this disk, or move to a larger one; existing files are intact',
  EDQUOT: 'raise the disk quota, or remove files; existing files are intact',
  EACCES: 'give this user write permission',
  EPERM: 'give this user write permission',
  EROFS: 'mount the disk for writing, or use another directory',
  EMFILE: 'raise the limit of open files (ulimit -n), or run fewer episodes at once',
};

/** Passes GyreErrors through. */
export function storageError(error: unknown, path: string): GyreError {
  if (error instanceof GyreError) return error;
  const code = codeOf(error);
  const reason = code === 'ENOSPC' ? 'the disk is full' : error instanceof Error ? error.message : String(error);
  return new GyreError('storage', `cannot write ${basename(path)}: ${reason}`, {
    field: path,
    fix: fixes[code ?? ''] ?? 'check the disk',
    cause: error,
  });
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Reads what a file has from an offset on. */
export async function readFrom(fs: FileSystem, path: string, offset: number): Promise<Buffer> {
  const handle = await fs.open(path, 'r');
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.max(0, size - offset));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
