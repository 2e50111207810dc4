import { GyreError } from '@gyre/protocol';

const refusals: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['does not exist', 'list its folder, or create it first'],
  ENOTDIR: ['has a parent that is not a folder', 'list its folder to see what is there'],
  EISDIR: ['is a folder', 'use the path of a file'],
  EEXIST: ['already exists', 'choose another name, or allow it to be replaced'],
  ENOTEMPTY: ['is a non-empty folder', 'choose another name, or remove it first'],
  EACCES: ['is not accessible', 'check its owner and mode'],
  EPERM: ['is not accessible', 'check its owner and mode'],
  ENAMETOOLONG: ['has a name that is too long', 'choose a shorter one'],
  EINVAL: ['is not valid for this operation', 'a folder cannot be moved or copied into itself'],
  EXDEV: ['is on another file system', 'copy it, then remove it'],
  ELOOP: ['leads through a symbolic link', 'use the path of its target'],
  EBUSY: ['is in use', 'stop the program that uses it first'],
  ETXTBSY: ['is a running program', 'stop it first'],
};

export function failure(error: unknown, path: string, field = 'path'): GyreError {
  if (error instanceof GyreError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const [problem, fix] = refusals[code] ?? [];
  if (problem !== undefined) return refusal(path, problem, fix!, field, error);
  if (['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'].includes(code)) {
    return new GyreError('storage', `cannot write ${JSON.stringify(path)}: ${code}`, {
      field,
      fix: 'free disk space in the session, or lease one with more',
      cause: error,
    });
  }
  return new GyreError('infra', `the file system failed at ${JSON.stringify(path)}: ${code || String(error)}`, {
    part: 'machine',
    field,
    fix: 'check the cause; lease another session if it persists',
    cause: error,
  });
}

/** The session's file system refuses a path. */
export class PathRefused extends GyreError {}

export function refusal(path: string, problem: string, fix: string, field = 'path', cause?: unknown): PathRefused {
  const shortened = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return new PathRefused('bad_input', `${JSON.stringify(shortened)} ${problem}`, { field, fix, cause });
}

export function errno(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
