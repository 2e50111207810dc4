import { GyreError } from '@gyre/protocol';

const refusals: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['does not exist', 'list its folder to see what does, or create it first'],
  ENOTDIR: ['goes through something that is no folder', 'list its folder to see what is there'],
  EISDIR: ['is a folder', 'give the path of a file'],
  EEXIST: ['exists already', 'choose another name, or allow replacing it'],
  ENOTEMPTY: ['is a folder that is not empty', 'choose another name, or remove it first'],
  EACCES: ['may not be used', 'see who owns it and its mode'],
  EPERM: ['may not be used', 'see who owns it and its mode'],
  ENAMETOOLONG: ['is too long a name', 'choose a shorter one'],
  EINVAL: ['cannot be used like that', 'a folder cannot be moved or copied into itself'],
  EXDEV: ['lies on another file system', 'copy it, then remove it'],
  ELOOP: ['goes through a link', 'give the path of what it leads to'],
  EBUSY: ['is in use', 'end what uses it first'],
  ETXTBSY: ['is a program that runs', 'end it first'],
};

export function failure(error: unknown, path: string, field = 'path'): GyreError {
  if (error instanceof GyreError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const [problem, fix] = refusals[code] ?? [];
  if (problem !== undefined) return refusal(path, problem, fix!, field, error);
  if (['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EFBIG'].includes(code)) {
    return new GyreError('storage', `${JSON.stringify(path)} cannot be written: ${code}`, {
      field,
      fix: 'free space in the session, or lease one with more',
      cause: error,
    });
  }
  return new GyreError('infra', `the file system failed at ${JSON.stringify(path)}: ${code || String(error)}`, {
    part: 'machine',
    field,
    fix: 'see the cause; lease another session if it stays',
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
