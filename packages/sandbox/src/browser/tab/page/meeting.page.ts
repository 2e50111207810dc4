type Values = object;
interface Half {
  readonly program?: (values: Values) => void;
  readonly values?: Values;
}

/** Holds the first half; removed before any page script runs. */
const slot = '__gyreMeeting';

/** Calls `program` with `values` once both halves have arrived. */
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
