import { readFileSync } from 'node:fs';

const sources = new Map<string, string>();

/**
 * Returns the source of a page's function: the default export of `NAME.page.ts`, bundled with all its imports as an IIFE whose global name
 * is `page`.
 *
 * @param bundle the file, or its path below gyre's own `src` without `.page.ts`: `hybrid/board`
 */
export function pageFunction(bundle: string | URL): string {
  const file = bundle instanceof URL ? bundle : new URL(`../${bundle}.page.bundle`, import.meta.url);
  let source = sources.get(file.href);
  if (source === undefined) {
    source = `(argument) => {${readFileSync(file, 'utf8')}\nreturn page.default(argument); }`;
    sources.set(file.href, source);
  }
  return source;
}

/** Returns the script of a task's page: installs the `PageVerifier` that the page's function returns. */
export function pageScript(bundle: string | URL): string {
  return `(argument) => { globalThis.gyreTask = (${pageFunction(bundle)})(argument); }`;
}
