import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  openSync,
  closeSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { GyreError } from '@gyre/protocol';

export type PathUse = 'read a file' | 'read a folder' | 'write a file' | 'write a folder';

const minFreeBytes = 64 * 1024;

const reasons: Readonly<Record<string, string>> = {
  ELOOP: 'its symbolic links form a loop',
  ENOTDIR: 'a parent is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'nothing can be created there',
};

/**
 * Throws `bad_input` for an unusable path, or `storage` for a disk that takes no data. Never blocks on pipes or
 * folders that cannot be created, such as in /proc.
 *
 * @param mayBeMissing accepts a missing path to read, which its reader handles
 */
export function checkPath(flag: string, path: string, use: PathUse, { mayBeMissing = false } = {}): void {
  const stats = statOf(flag, path);
  if (stats === undefined) {
    if (isLink(path)) throw unusable(flag, `${path} is a broken link`);
    if (use.startsWith('write')) return expectWritable(flag, path, dirname(resolve(path)));
    if (mayBeMissing) return;
    throw unusable(flag, `cannot read ${path}`, `name an existing ${use === 'read a file' ? 'file' : 'folder'}`);
  }
  if (use.endsWith('folder')) {
    if (!stats.isDirectory()) throw unusable(flag, `${path} is not a folder`, 'name a folder');
  } else if (stats.isDirectory()) throw unusable(flag, `${path} is a folder`, 'name a file');
  else if (!stats.isFile())
    throw unusable(flag, `${path} is not a regular file`, 'name a regular file, not a pipe, socket or device');
  if (use === 'write a folder') expectWritable(flag, path, path);
  else if (use === 'write a file') expectWritable(flag, path, dirname(resolve(path)), path);
  else expectReadable(flag, path, stats);
}

function statOf(flag: string, path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(flag, `cannot use ${path}: ${reasons[code] ?? code}`, 'choose another path', error);
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function expectReadable(flag: string, path: string, stats: Stats): void {
  try {
    accessSync(path, stats.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK);
  } catch (cause) {
    throw unusable(flag, `cannot read ${path}`, 'make it readable, or choose another', cause);
  }
}

/** Permissions do not reveal a full or read-only disk. */
function expectWritable(flag: string, path: string, folder: string, file?: string): void {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  let probe: string | undefined;
  try {
    if (file !== undefined) closeSync(openSync(file, 'r+'));
    if (!statSync(nearest).isDirectory())
      throw Object.assign(new Error(`${nearest} is not a folder`), { code: 'ENOTDIR' });
    probe = mkdtempSync(join(nearest, '.gyre-probe-'));
    writeFileSync(join(probe, 'file'), Buffer.alloc(minFreeBytes));
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const message = `cannot write ${path}: ${reasons[code] ?? code}`;
    const fix =
      code === 'ENOSPC' || code === 'EDQUOT' ? 'free disk space, or choose another path' : 'choose a writable path';
    throw new GyreError('storage', message, { field: flag, fix, cause });
  } finally {
    if (probe !== undefined) rmSync(probe, { recursive: true, force: true });
  }
}

function unusable(flag: string, message: string, fix = 'choose another', cause?: unknown): GyreError {
  return new GyreError('bad_input', message, { field: flag, fix, cause });
}
