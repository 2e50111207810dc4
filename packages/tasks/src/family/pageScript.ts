import { readFileSync } from 'node:fs';

const sources = new Map<string, string>();

/**
 * Returns the source of a page function: the default export of `NAME.page.ts`, bundled as an IIFE whose global name is
 * `page`.
 *
 * @param bundle a file, or a path below gyre's `src` without `.page.ts`: `hybrid/board`
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

/** Returns a page script that installs the `PageVerifier` of the page function. */
export function pageScript(bundle: string | URL): string {
  return `(argument) => { globalThis.gyreTask = (${pageFunction(bundle)})(argument); }`;
}
