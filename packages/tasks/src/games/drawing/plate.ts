import type { ScreenSize } from '../game.js';
import { type Grid, boardFrame, gridIn, panel, shade } from './kit.js';
import type { Plane } from '../rules/sides.js';

export const rimOf = (size: ScreenSize): number => Math.max(4, Math.round(size.height * 0.025));

/** `maxShare`: maximum side of a cell as a share of the screen's height. */
export function gridOnPlate(size: ScreenSize, { columns, rows }: Plane, maxShare = 0.2): Grid {
  const rim = rimOf(size);
  const { x, y, width, height } = boardFrame(size, Math.max(5, Math.round(size.height * 0.02)));
  const inner = { x: x + rim, y: y + rim, width: width - 2 * rim, height: height - 2 * rim - 2 };
  return gridIn(inner, columns, rows, size.height * maxShare);
}

export function drawPlate(pen: CanvasRenderingContext2D, size: ScreenSize, grid: Grid, colour: string): void {
  const rim = rimOf(size);
  const frame = { x: grid.x - rim, y: grid.y - rim, width: grid.width + 2 * rim, height: grid.height + 2 * rim };
  panel(pen, { ...frame, y: frame.y + 2 }, rim * 1.6, shade(colour, -0.3));
  panel(pen, frame, rim * 1.6, colour);
}
