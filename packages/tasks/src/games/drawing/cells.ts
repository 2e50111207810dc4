import type { Palette } from '../game.js';
import { type Grid, middle, middleOf, panel } from './kit.js';
import { drawSprite } from './sprite.js';

export function drawCells(pen: CanvasRenderingContext2D, grid: Grid, palette: Palette): void {
  const { x, y, width, height, side, columns, rows } = grid;
  const rim = Math.max(2, Math.round(side * 0.07));
  const centre = middle(grid);
  drawSprite(pen, 'cells', centre, Math.max(width, height) / 2 + rim, (brush) => {
    brush.translate(-centre.x, -centre.y);
    const whole = { x: x - rim, y: y - rim, width: width + 2 * rim, height: height + 2 * rim };
    panel(brush, whole, 3 * rim, palette.board);
    const inner = side - Math.max(2, side * 0.08);
    for (let place = 0; place < columns * rows; place++) {
      const spot = middleOf(grid, place);
      const frame = { x: spot.x - inner / 2, y: spot.y - inner / 2, width: inner, height: inner };
      panel(brush, frame, inner * 0.17, palette.hole);
    }
  });
}
