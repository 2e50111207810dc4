import { pageProgram } from '../pageProgram.js';

/**
 * Returns two scripts for the same world of new documents, which run in either order: `program`, the source of a function, and `values`, which
 * it is called with once both are there. The program has the same text in all documents, so that the browser compiles it once, as far as it
 * remembers.
 */
export function meeting(program: string, values: object): [program: string, values: string] {
  const meet = pageProgram(new URL('./page/meeting.page.bundle', import.meta.url));
  return [`(${meet})({ program: ${program} });`, `(${meet})({ values: ${JSON.stringify(values)} });`];
}
