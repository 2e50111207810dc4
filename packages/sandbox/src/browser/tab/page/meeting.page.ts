type Values = object;
interface Half {
  readonly program?: (values: Values) => void;
  readonly values?: Values;
}

/** Global through which the first half waits for the second; removed before any script of the page runs. */
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
