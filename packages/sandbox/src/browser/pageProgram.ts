import { readFileSync } from 'node:fs';

const bundles = new Map<string, string>();

/** Returns the source of a one-argument function exported by `NAME.page.ts`. */
export function pageProgram(file: URL, name = 'default'): string {
  const bundle = bundles.get(file.href) ?? readFileSync(file, 'utf8').trimEnd();
  bundles.set(file.href, bundle);
  return `(argument) => {${bundle}return page.${name}(argument);}`;
}
