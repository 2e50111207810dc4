import { type MergeLevel, type MergeState, merge } from './rules.js';
import type { Palette, ScreenSize, Spot, View } from '../game.js';
import {
  type Grid,
  cellAt,
  drawEnd,
  drawGround,
  gridIn,
  middle,
  middleOf,
  panel,
  shade,
  tile,
  write,
} from '../drawing/kit.js';
import { boardAndSide, captionCard, factCard, rowsOf } from '../drawing/side.js';
import { drawSprite } from '../drawing/sprite.js';

const gridOf = (size: ScreenSize, { columns, rows }: MergeLevel): Grid =>
  gridIn(boardAndSide(size).board, columns, rows);

export const mergeAndDoubleView: View<MergeLevel, MergeState, number> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change } = scene;
    const grid = gridOf(size, level);
    drawGround(pen, scene, 'Merge and double', []);
    const [goal, score] = rowsOf(boardAndSide(size).side, 2, 8);
    if (goal && score) {
      const cardFrame = captionCard(pen, goal, palette, 'make');
      drawTile(
        pen,
        middle({ ...cardFrame, height: cardFrame.height * 0.94 }),
        Math.min(cardFrame.width * 0.62, cardFrame.height * 0.8),
        level.target,
        palette,
      );
      factCard(pen, score, palette, { caption: 'score', fact: String(state.score) });
    }
    const margin = Math.max(2, Math.round(grid.side * 0.06));
    const { x, y, width, height } = grid;
    panel(
      pen,
      { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin },
      3 * margin,
      palette.board,
    );
    pen.save();
    pen.beginPath();
    pen.rect(x, y - margin, width, height + margin);
    pen.clip();
    const merged = change && merge(change.before.cells, level.columns, change.move);
    if (merged) {
      drawMerge(pen, grid, scene.palette, {
        before: change.before.cells,
        after: state.cells,
        pressed: change.move,
        share: change.share,
        ...merged,
      });
    } else {
      drawBridges(pen, grid, state.cells, palette);
      for (const [place, value] of state.cells.entries())
        drawTile(pen, middleOf(grid, place), grid.side, value, palette);
    }
    pen.restore();
    drawEnd(pen, scene);
  },
  read(input, _state, level, size) {
    return input.type === 'press' ? cellAt(gridOf(size, level), input.spot)?.index : undefined;
  },
  write: (at, _state, level, size) => ({ type: 'press', spot: middleOf(gridOf(size, level), at) }),
  say: (at, { cells }, { columns }) => `merge the ${cells[at] ?? 0}s into a ${merge(cells, columns, at)?.value ?? 0}`,
};

/** Merges in the first half; tiles fall in the second. */
function drawMerge(
  pen: CanvasRenderingContext2D,
  grid: Grid,
  palette: Palette,
  merging: {
    readonly before: readonly number[];
    readonly after: readonly number[];
    readonly pressed: number;
    readonly share: number;
    readonly group: readonly number[];
    readonly cells: readonly number[];
    readonly falls: readonly { readonly from: number; readonly to: number; readonly value: number }[];
  },
) {
  const { before, after, pressed, share, group, cells, falls } = merging;
  const between = (from: Spot, to: Spot, part: number): Spot => ({
    x: from.x + (to.x - from.x) * part,
    y: from.y + (to.y - from.y) * part,
  });
  if (share < 0.5) {
    const still = before.map((value, place) => (group.includes(place) ? 0 : value));
    drawBridges(pen, grid, still, palette);
    for (const [place, value] of before.entries()) {
      const spot = middleOf(grid, place);
      const moved = group.includes(place) ? between(spot, middleOf(grid, pressed), share * 2) : spot;
      drawTile(pen, moved, grid.side, value, palette);
    }
    return;
  }
  const part = share * 2 - 1;
  for (const { from, to, value } of falls) {
    drawTile(pen, between(middleOf(grid, from), middleOf(grid, to), part), grid.side, value, palette);
  }
  for (const [place, value] of after.entries()) {
    if (cells[place] !== 0) continue;
    const to = middleOf(grid, place);
    drawTile(pen, between({ x: to.x, y: to.y - grid.height }, to, part), grid.side, value, palette);
  }
}

/** Joins equal neighbours, so that groups are visible. */
function drawBridges(pen: CanvasRenderingContext2D, grid: Grid, cells: readonly number[], palette: Palette) {
  for (const [place, value] of cells.entries()) {
    if (value === 0) continue;
    pen.fillStyle = shade(colourOf(value, palette), -0.12);
    const { x, y } = middleOf(grid, place);
    const thick = grid.side * 0.5;
    if (place % grid.columns < grid.columns - 1 && cells[place + 1] === value) {
      pen.fillRect(x, y - thick / 2, grid.side, thick);
    }
    if (cells[place + grid.columns] === value) pen.fillRect(x - thick / 2, y, thick, grid.side);
  }
}

const colourOf = (value: number, palette: Palette) =>
  palette.pieces[(Math.log2(value) + 2) % palette.pieces.length] ?? '#888888';

function drawTile(pen: CanvasRenderingContext2D, spot: Spot, side: number, value: number, palette: Palette) {
  if (value === 0) return;
  drawSprite(pen, `tile ${value} ${side}`, spot, side * 0.55, (brush) => paintTile(brush, side, value, palette));
}

/** Paints a tile around 0, 0; `side` in px. */
function paintTile(pen: CanvasRenderingContext2D, side: number, value: number, palette: Palette) {
  const colour = colourOf(value, palette);
  const gap = Math.max(1, Math.round(side * 0.06));
  tile(pen, { x: -side / 2, y: -side / 2, width: side, height: side }, colour, Math.round(side * 0.18), gap);
  const digits = String(value).length;
  const letters = Math.round(side * (digits < 3 ? 0.44 : 1.02 / digits));
  write(pen, String(value), { x: 1, y: 1 }, { size: letters, colour: shade(colour, -0.5) });
  write(pen, String(value), { x: 0, y: 0 }, { size: letters, colour: '#ffffff' });
}
