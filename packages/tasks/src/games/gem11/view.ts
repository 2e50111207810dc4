import { drawGem } from './gem.js';
import type { GemLevel, GemState, Join } from './rules.js';
import { drawCells } from '../drawing/cells.js';
import type { ScreenSize, View } from '../game.js';
import { type Grid, cellAt, drawEnd, drawGround, gridIn, middle, middleOf } from '../drawing/kit.js';
import { boardAndSide, captionCard, factCard, rowsOf } from '../drawing/side.js';

const gridOf = (size: ScreenSize, { columns, rows }: GemLevel): Grid => gridIn(boardAndSide(size).board, columns, rows);

export const gem11View: View<GemLevel, GemState, Join> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change, drag } = scene;
    const grid = gridOf(size, level);
    const radius = grid.side * 0.4;
    drawGround(pen, scene, 'Gem 11', []);
    const [goal, score] = rowsOf(boardAndSide(size).side, 2, 8);
    if (goal && score) {
      const cardFrame = captionCard(pen, goal, palette, 'make');
      drawGem(pen, middle(cardFrame), Math.min(cardFrame.width, cardFrame.height) * 0.36, level.target, palette);
      factCard(pen, score, palette, { caption: 'score', fact: String(state.score) });
    }
    drawCells(pen, grid, palette);
    const draggedPlace = drag && cellAt(grid, drag.from)?.index;
    for (const [place, rank] of state.cells.entries()) {
      const spot = middleOf(grid, place);
      // After the drag, the merged gem swells and the new one grows.
      let scale = 1;
      if (place === change?.move.to) scale = 1 + 0.18 * Math.sin(Math.PI * change.share);
      if (place === change?.move.from) scale = change.share;
      if (place !== draggedPlace) drawGem(pen, spot, radius * scale, rank, palette);
    }
    if (drag && draggedPlace !== undefined)
      drawGem(pen, drag.to, radius * 1.08, state.cells[draggedPlace] ?? 0, palette);
    drawEnd(pen, scene);
  },
  read(input, _state, level, size) {
    if (input.type !== 'drag') return undefined;
    const grid = gridOf(size, level);
    const [from, to] = [cellAt(grid, input.from), cellAt(grid, input.to)];
    return from && to && { from: from.index, to: to.index };
  },
  write({ from, to }, _state, level, size) {
    const grid = gridOf(size, level);
    return { type: 'drag', from: middleOf(grid, from), to: middleOf(grid, to) };
  },
  say: ({ to }, { cells }) => `two gems ${cells[to] ?? 0} side by side make gem ${(cells[to] ?? 0) + 1}`,
};
