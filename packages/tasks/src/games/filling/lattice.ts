/** Where a cell lies: column and row, or the two axes of a hexagonal board. */
export type Cell = readonly [number, number];

/** A board that pieces are laid on, and the pieces. At most 64 cells. */
export interface Lattice {
  readonly cells: readonly Cell[];
  /** What vanishes when it is full, as places (numbers of cells). */
  readonly lines: readonly (readonly number[])[];
  /** Of each place the places beside it. */
  readonly near: readonly (readonly number[])[];
  /** Pieces, as cells about a first one at 0, 0. */
  readonly shapes: readonly (readonly Cell[])[];
  /** By shape and by place of its first cell: the places that it takes; undefined where it does not lie on the board. */
  readonly fits: readonly (readonly (readonly number[] | undefined)[])[];
}

/** Makes a board. Cells of a line are equal in one of `axes`; `steps` lead from a cell to those beside it. */
export function makeLattice(
  cells: readonly Cell[],
  axes: readonly ((cell: Cell) => number)[],
  steps: readonly Cell[],
  shapes: readonly (readonly Cell[])[],
): Lattice {
  const places = new Map(cells.map((cell, place) => [cell.join(), place]));
  const placeOf = ([a, b]: Cell, [across, down]: Cell) => places.get([a + across, b + down].join());
  const lines = axes.flatMap((axis) => {
    const byValue = new Map<number, number[]>();
    for (const [place, cell] of cells.entries()) byValue.set(axis(cell), [...(byValue.get(axis(cell)) ?? []), place]);
    return [...byValue.values()];
  });
  const near = cells.map((cell) => steps.flatMap((step) => placeOf(cell, step) ?? []));
  const fits = shapes.map((shape) =>
    cells.map((cell) => {
      const taken = shape.flatMap((offset) => placeOf(cell, offset) ?? []);
      return taken.length === shape.length ? taken : undefined;
    }),
  );
  return { cells, lines, near, shapes, fits };
}

/** The piece of a slot of the tray is laid with its first cell on a place. */
export interface Laying {
  readonly slot: number;
  readonly place: number;
}
