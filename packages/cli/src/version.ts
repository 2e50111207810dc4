import { readFileSync } from 'node:fs';

export function gyreVersion(): string {
  const json: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return (json as { version: string }).version;
}
