import { readFileSync } from 'node:fs';

/** Reads the version of a package with its entry in `dist`. */
export function versionOf(name: string): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.resolve(name)), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
