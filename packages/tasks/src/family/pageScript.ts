import { readFileSync } from 'node:fs';

const scripts = new Map<string, string>();

/**
 * Source of the function that a page runs in the isolated world: the default export of `NAME.page.ts`, bundled with everything
 * that it imports. `name` is its path below `src`: `games/maze`.
 */
export function pageScript(name: string): string {
  let script = scripts.get(name);
  if (script === undefined) {
    const bundle = readFileSync(new URL(`../${name}.page.bundle`, import.meta.url), 'utf8');
    script = `(argument) => {${bundle}\npage.default(argument); }`;
    scripts.set(name, script);
  }
  return script;
}
