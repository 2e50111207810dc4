import type { Cell } from './lattice.js';
import type { Spot } from '../game.js';
import { type Frame, middle } from '../drawing/kit.js';

/** Where cells lie, for cells whose middles are 1 apart. */
export interface Layout {
  /** The middle of a cell about that of the cell 0, 0. */
  readonly spotOf: (cell: Cell) => Spot;
  /** How far a cell reaches from its middle, across and down. */
  readonly reach: Spot;
}

/** Cells on the screen. */
export interface Placed {
  /** The middle of the cell 0, 0. */
  readonly origin: Spot;
  /** How far the middles of neighbours are apart, in px. */
  readonly side: number;
  readonly frame: Frame;
}

/** Cells whose middle is at a spot. */
export function holdAt({ spotOf, reach }: Layout, cells: readonly Cell[], at: Spot, side: number): Placed {
  const spots = cells.map(spotOf);
  const [left, right] = [Math.min(...spots.map(({ x }) => x)), Math.max(...spots.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...spots.map(({ y }) => y)), Math.max(...spots.map(({ y }) => y))];
  const [width, height] = [(right - left + 2 * reach.x) * side, (bottom - top + 2 * reach.y) * side];
  return {
    origin: { x: at.x - ((left + right) / 2) * side, y: at.y - ((top + bottom) / 2) * side },
    side,
    frame: { x: at.x - width / 2, y: at.y - height / 2, width, height },
  };
}

/** Cells in the middle of a frame, as large as they can be there, with sides of at most `most` px. */
export function fitInto(layout: Layout, cells: readonly Cell[], frame: Frame, most = Infinity): Placed {
  const { width, height } = holdAt(layout, cells, { x: 0, y: 0 }, 1).frame;
  return holdAt(layout, cells, middle(frame), Math.min(frame.width / width, frame.height / height, most));
}

/** The middle of a cell on the screen. */
export function cellSpot({ spotOf }: Layout, { origin, side }: Placed, cell: Cell): Spot {
  const { x, y } = spotOf(cell);
  return { x: origin.x + x * side, y: origin.y + y * side };
}
