import { pageProgram } from '../pageProgram.js';

/**
 * Returns two scripts for the same world, in any order: `program` is called with `values` once both are there. The
 * program's text is constant, so that the browser can cache its compilation.
 */
export function pairedScripts(program: string, values: object): [program: string, values: string] {
  const meet = pageProgram(new URL('./page/pairedScripts.page.bundle', import.meta.url));
  return [`(${meet})({ program: ${program} });`, `(${meet})({ values: ${JSON.stringify(values)} });`];
}
