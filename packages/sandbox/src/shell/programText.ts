import { readFileSync } from 'node:fs';

/** Reads a script, which the build copies. */
export function programText(file: URL): string {
  return readFileSync(file, 'utf8');
}
