import { readFileSync } from 'node:fs';

/** Reads a program that a session runs: it stands in a file beside the code, which the build copies. */
export function programText(file: URL): string {
  return readFileSync(file, 'utf8');
}
