/** Where the first of the two waits for the second, in the world that they run in; it is gone before any script of the page's runs. */
const slot = '__gyreMeeting';

/**
 * Two scripts for the same world of new documents, which run in either order: `program`, the source of a function, and the values that
 * it is called with once both are there, which JSON can carry. A program has the same text in all documents, so that the browser
 * compiles it for the first of them alone, as far as it remembers.
 */
export function meeting(program: string, values: object): [program: string, values: string] {
  return [half('program', program), half('values', JSON.stringify(values))];
}

function half(name: 'program' | 'values', source: string): string {
  return `((half) => {
  const other = globalThis.${slot};
  if (other === undefined) return void (globalThis.${slot} = half);
  delete globalThis.${slot};
  const { program, values } = { ...other, ...half };
  program(values);
})({ ${name}: ${source} });`;
}
