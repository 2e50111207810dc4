import { readFileSync } from 'node:fs';

/** Returns the version of an installed package whose entry is in `dist`. */
export function versionOf(name: string): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.resolve(name)), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
