type Values = object;
interface Half {
  readonly program?: (values: Values) => void;
  readonly values?: Values;
}

/** Where the first half waits for the second; it is gone before any script of the page's runs. */
const slot = '__gyreMeeting';

/** Calls the program of one half with the values of the other, once both are there. */
export default function meet(half: Half): void {
  const world = globalThis as { [slot]?: Half };
  const first = world[slot];
  if (first === undefined) {
    world[slot] = half;
    return;
  }
  delete world[slot];
  const { program, values } = { ...first, ...half };
  program!(values!);
}
