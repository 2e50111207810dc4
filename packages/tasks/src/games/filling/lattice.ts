/** Column and row, or axial coordinates. */
export type Cell = readonly [number, number];

/** At most 64 cells, the limit of the solver's bit sets. */
export interface Lattice {
  readonly cells: readonly Cell[];
  /** Cells of each line that vanishes when full. */
  readonly lines: readonly (readonly number[])[];
  readonly near: readonly (readonly number[])[];
  /** Offsets from the piece's first cell. */
  readonly shapes: readonly (readonly Cell[])[];
  /** Covered cells by shape and first cell; undefined off the board. */
  readonly fits: readonly (readonly (readonly number[] | undefined)[])[];
}

/** The cells of a line agree in one of `axes`; `steps` lead to neighbours. */
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

/** `place` is that of the piece's first cell. */
export interface PiecePlacement {
  readonly slot: number;
  readonly place: number;
}
