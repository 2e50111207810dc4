export interface Plane {
  readonly columns: number;
  readonly rows: number;
}

/** Up, right, down, left, as bits. */
export const sides = [1, 2, 4, 8] as const;
export type Side = (typeof sides)[number];

/** The neighbour's side facing this one. */
export const opposite = (side: Side): Side => (side < 4 ? side * 4 : side / 4) as Side;

const steps = { 1: [0, -1], 2: [1, 0], 4: [0, 1], 8: [-1, 0] } as const;

export const stepOf = (side: Side): readonly [number, number] => steps[side];

/** Returns the neighbour; undefined beyond the edge. */
export function beside({ columns, rows }: Plane, place: number, side: Side): number | undefined {
  const [across, down] = steps[side];
  const column = (place % columns) + across;
  const row = Math.floor(place / columns) + down;
  return column < 0 || row < 0 || column >= columns || row >= rows ? undefined : row * columns + column;
}

/** Counts from 1: `row 1, column 1`. */
export const placeName = ({ columns }: Plane, place: number): string =>
  `row ${Math.floor(place / columns) + 1}, column ${(place % columns) + 1}`;
