import { readFileSync } from 'node:fs';

const scripts = new Map<string, string>();

/**
 * Returns the source of the function that a page runs in the isolated world: the default export of `NAME.page.ts`, bundled with everything
 * that it imports, as an IIFE whose global name is `page`.
 *
 * @param bundle the file, or its path below gyre's own `src` without `.page.ts`: `games/maze`.
 */
export function pageScript(bundle: string | URL): string {
  const file = bundle instanceof URL ? bundle : new URL(`../${bundle}.page.bundle`, import.meta.url);
  let script = scripts.get(file.href);
  if (script === undefined) {
    script = `(argument) => {${readFileSync(file, 'utf8')}\npage.default(argument); }`;
    scripts.set(file.href, script);
  }
  return script;
}
