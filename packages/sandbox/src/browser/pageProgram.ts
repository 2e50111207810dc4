import { readFileSync } from 'node:fs';

const bundles = new Map<string, string>();

/** Returns the source of a function of one argument: an export of `NAME.page.ts`, of which `file` is `NAME.page.bundle`. */
export function pageProgram(file: URL, name = 'default'): string {
  const bundle = bundles.get(file.href) ?? readFileSync(file, 'utf8').trimEnd();
  bundles.set(file.href, bundle);
  return `(argument) => {${bundle}return page.${name}(argument);}`;
}
