import { readFileSync } from 'node:fs';

const sources = new Map<string, string>();

/**
 * Returns a page function: the default export of `NAME.page.ts` as an IIFE named `page`.
 *
 * @param bundle a file, or a path below gyre's `src`: `hybrid/board`
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

/** Returns a script that installs the page function's `PageVerifier`. */
export function pageScript(bundle: string | URL): string {
  return `(argument) => { globalThis.gyreTask = (${pageFunction(bundle)})(argument); }`;
}
