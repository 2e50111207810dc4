import { readFileSync } from 'node:fs';

const sources = new Map<string, string>();

/**
 * Returns the source of a page's function: the default export of `NAME.page.ts`, bundled with all its imports.
 * @param name path below `src`: `hybrid/board`.
 */
export function pageFunction(name: string): string {
  let source = sources.get(name);
  if (source === undefined) {
    const bundle = readFileSync(new URL(`../${name}.page.bundle`, import.meta.url), 'utf8');
    source = `(argument) => {${bundle}\nreturn page.default(argument); }`;
    sources.set(name, source);
  }
  return source;
}

/** Returns the script of a task's page: installs the `Verifier` that `pageFunction(name)` returns. */
export function pageScript(name: string): string {
  return `(argument) => { globalThis.gyreTask = (${pageFunction(name)})(argument); }`;
}
