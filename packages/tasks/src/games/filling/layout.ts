import type { Cell } from './lattice.js';
import type { Spot } from '../game.js';
import { type Frame, middle } from '../drawing/kit.js';

/** Geometry for cells whose centres are 1 apart. */
export interface Layout {
  /** Centre relative to the cell 0, 0. */
  readonly spotOf: (cell: Cell) => Spot;
  /** Half extents. */
  readonly reach: Spot;
}

export interface PlacedPiece {
  readonly origin: Spot;
  /** Distance of neighbouring centres, in px. */
  readonly side: number;
  readonly frame: Frame;
}

export function placePieceAt(
  { spotOf, reach }: Layout,
  cells: readonly Cell[],
  centre: Spot,
  side: number,
): PlacedPiece {
  const spots = cells.map(spotOf);
  const [left, right] = [Math.min(...spots.map(({ x }) => x)), Math.max(...spots.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...spots.map(({ y }) => y)), Math.max(...spots.map(({ y }) => y))];
  const [width, height] = [(right - left + 2 * reach.x) * side, (bottom - top + 2 * reach.y) * side];
  return {
    origin: { x: centre.x - ((left + right) / 2) * side, y: centre.y - ((top + bottom) / 2) * side },
    side,
    frame: { x: centre.x - width / 2, y: centre.y - height / 2, width, height },
  };
}

/** `maxSide`: maximum side in px. */
export function fitInto(layout: Layout, cells: readonly Cell[], frame: Frame, maxSide = Infinity): PlacedPiece {
  const { width, height } = placePieceAt(layout, cells, { x: 0, y: 0 }, 1).frame;
  return placePieceAt(layout, cells, middle(frame), Math.min(frame.width / width, frame.height / height, maxSide));
}

export function cellSpot({ spotOf }: Layout, { origin, side }: PlacedPiece, cell: Cell): Spot {
  const { x, y } = spotOf(cell);
  return { x: origin.x + x * side, y: origin.y + y * side };
}
