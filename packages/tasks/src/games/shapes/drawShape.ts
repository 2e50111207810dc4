import type { Spot } from '../game.js';
import type { Shape } from './shape.js';

/** Rounds corners. `side` and `inset` are in px; a negative inset enlarges the shape. */
export function drawShape(
  pen: CanvasRenderingContext2D,
  shape: Shape,
  corner: Spot,
  side: number,
  inset: number,
  colour: string,
): void {
  const cells = new Set(shape.map(([column, row]) => `${column} ${row}`));
  const has = (column: number, row: number) => cells.has(`${column} ${row}`);
  const radius = side * 0.22;
  pen.beginPath();
  for (const [column, row] of shape) {
    const [left, right] = [has(column - 1, row), has(column + 1, row)];
    const [above, below] = [has(column, row - 1), has(column, row + 1)];
    const x = corner.x + column * side + (left ? 0 : inset);
    const y = corner.y + row * side + (above ? 0 : inset);
    const endX = corner.x + (column + 1) * side - (right ? 0 : inset);
    const endY = corner.y + (row + 1) * side - (below ? 0 : inset);
    const round = (one: boolean, other: boolean) => (one || other ? 0 : radius);
    pen.roundRect(x, y, endX - x, endY - y, [
      round(left, above),
      round(right, above),
      round(right, below),
      round(left, below),
    ]);
  }
  pen.fillStyle = colour;
  pen.fill();
}
