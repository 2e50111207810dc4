import { refusal } from './failure.js';

/** Linux, in bytes. */
const maxPath = 4_095;
const maxName = 255;

/**
 * Returns names from the home on. Keeps `..`, which only a walk can resolve. Throws `bad_input` for invalid paths and
 * those outside the home.
 */
export function namesOf(path: string, home: string, field = 'path'): string[] {
  if (path.includes('\0')) throw refusal(path, 'contains a NUL character', 'remove it', field);
  if (!path.isWellFormed()) throw refusal(path, 'is not well-formed Unicode', 'use a path in valid Unicode', field);
  if (Buffer.byteLength(path) > maxPath) throw refusal(path, 'is too long', `use at most ${maxPath} bytes`, field);
  let inside = path;
  if (path.startsWith('/')) {
    const base = home.replace(/\/+$/, '');
    if (path !== base && !path.startsWith(`${base}/`)) {
      throw refusal(path, 'is outside the home', `use a path inside ${home}, or one relative to it`, field);
    }
    inside = path.slice(base.length);
  }
  const names = inside.split('/').filter((name) => name !== '' && name !== '.');
  const long = names.find((name) => Buffer.byteLength(name) > maxName);
  if (long !== undefined)
    throw refusal(path, 'has a name that is too long', `use names of at most ${maxName} bytes`, field);
  return names;
}
