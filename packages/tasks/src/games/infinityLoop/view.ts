import type { View } from '../game.js';
import { type Grid, cellAt, drawEnd, drawGround, middleOf, panel, pieceColour, shade } from '../drawing/kit.js';
import { tracePipe } from '../rules/pipeNet.js';
import { drawPlate, gridOnPlate } from '../drawing/plate.js';
import { placeName, stepOf } from '../rules/sides.js';
import { type LoopLevel, type LoopMove, type LoopState, closedPlaces, openEnds } from './rules.js';

export const infinityLoopView: View<LoopLevel, LoopState, LoopMove> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change, status } = scene;
    const { tiles } = state;
    const grid = gridOnPlate(size, level);
    const open = tiles.reduce((sum, _, place) => sum + openEnds(level, tiles, place).length, 0);
    drawGround(pen, scene, 'infinity loop', [`open ${open}`]);
    drawPlate(pen, size, grid, palette.board);
    for (const place of tiles.keys()) {
      const { x, y } = middleOf(grid, place);
      const half = grid.side / 2 - Math.max(1, grid.side * 0.025);
      panel(pen, { x: x - half, y: y - half, width: 2 * half, height: 2 * half }, grid.side * 0.14, palette.hole);
    }
    const closed = closedPlaces(level, tiles);
    const [openColour, closedColour] = [pieceColour(palette, 3), pieceColour(palette, 1)];
    const width = grid.side * 0.24;
    // In passes, so that no outline crosses a joint.
    const passes = [
      { width: width + Math.max(2, grid.side * 0.07), tint: -0.45 },
      { width, tint: 0 },
      { width: width * 0.3, tint: 0.45 },
    ];
    for (const pass of passes) {
      for (const [place, ends] of tiles.entries()) {
        if (ends === 0) continue;
        const colour = shade(closed.has(place) ? closedColour : openColour, pass.tint);
        const { x, y } = middleOf(grid, place);
        const turning = change?.move === place;
        pen.save();
        pen.translate(x, y);
        if (turning) pen.rotate(((change.share - 1) * Math.PI) / 2);
        drawTile(pen, ends, grid.side, pass.width, colour);
        pen.restore();
      }
    }
    if (!status.won) drawOpenEnds(pen, grid, level, tiles, width, shade(openColour, -0.45), change?.move);
    drawEnd(pen, scene);
  },
  read: (input, _, level, size) =>
    input.type === 'press' ? cellAt(gridOnPlate(size, level), input.spot)?.index : undefined,
  write: (place, _, level, size) => ({ type: 'press', spot: middleOf(gridOnPlate(size, level), place) }),
  say: (place, _, level) => `the tile in ${placeName(level, place)} must join its neighbours another way: turn it`,
};

/** Draws a tile around the origin; a single end has a bulb. */
function drawTile(pen: CanvasRenderingContext2D, ends: number, side: number, width: number, colour: string): void {
  pen.beginPath();
  tracePipe(pen, ends, 0, 0, side);
  pen.lineWidth = width;
  pen.strokeStyle = colour;
  pen.stroke();
  const isSingle = (ends & (ends - 1)) === 0;
  const isCorner = [3, 6, 12, 9].includes(ends);
  if (isCorner) return;
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(0, 0, isSingle ? side * 0.13 + width / 2 : width / 2, 0, 2 * Math.PI);
  pen.fill();
}

function drawOpenEnds(
  pen: CanvasRenderingContext2D,
  grid: Grid,
  level: LoopLevel,
  tiles: readonly number[],
  width: number,
  colour: string,
  turning: number | undefined,
): void {
  for (const place of tiles.keys()) {
    if (place === turning) continue;
    const { x, y } = middleOf(grid, place);
    for (const side of openEnds(level, tiles, place)) {
      const [across, down] = stepOf(side);
      const reach = grid.side / 2 - width * 0.35;
      pen.beginPath();
      pen.arc(x + across * reach, y + down * reach, width * 0.35, 0, 2 * Math.PI);
      pen.fillStyle = '#ffffff';
      pen.fill();
      pen.lineWidth = Math.max(1, width * 0.16);
      pen.strokeStyle = colour;
      pen.stroke();
    }
  }
}
