/** A grid of places, numbered in reading order. */
export interface Plane {
  readonly columns: number;
  readonly rows: number;
}

/** Above, right, below, left: as bits, so that a number can hold several. */
export const sides = [1, 2, 4, 8] as const;
export type Side = (typeof sides)[number];

/** The side that looks at this one from the neighbour. */
export const opposite = (side: Side): Side => (side < 4 ? side * 4 : side / 4) as Side;

const steps = { 1: [0, -1], 2: [1, 0], 4: [0, 1], 8: [-1, 0] } as const;

/** A step to a side, right and down. */
export const stepOf = (side: Side): readonly [number, number] => steps[side];

/** The place at a side of a place; undefined where the grid ends. */
export function beside({ columns, rows }: Plane, place: number, side: Side): number | undefined {
  const [across, down] = steps[side];
  const column = (place % columns) + across;
  const row = Math.floor(place / columns) + down;
  return column < 0 || row < 0 || column >= columns || row >= rows ? undefined : row * columns + column;
}

/** As people count: `row 1, column 1` is the first. */
export const placeName = ({ columns }: Plane, place: number): string =>
  `row ${Math.floor(place / columns) + 1}, column ${(place % columns) + 1}`;
