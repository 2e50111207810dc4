import { type Level2048, type State2048, type Way, slide, ways } from './rules.js';
import type { Palette, ScreenSize, View } from '../game.js';
import {
  type Grid,
  boardFrame,
  drawEnd,
  drawGround,
  gridIn,
  middleOf,
  panel,
  shade,
  tile,
  write,
} from '../drawing/kit.js';

const gridOf = (size: ScreenSize): Grid => gridIn(boardFrame(size), 4, 4);

export const view2048: View<Level2048, State2048, Way> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change } = scene;
    const grid = gridOf(size);
    drawGround(pen, scene, '2048', [`make ${level.target}`, `score ${state.score}`]);
    const gap = Math.max(2, Math.round(grid.side * 0.05));
    panel(
      pen,
      { x: grid.x - gap, y: grid.y - gap, width: grid.width + 2 * gap, height: grid.height + 2 * gap },
      6,
      palette.board,
    );
    for (let place = 0; place < 16; place++) panel(pen, inset(grid, place, gap), 4, palette.hole);
    if (change) {
      for (const { from, to, value } of slide(change.before.cells, change.move).slides) {
        const [start, end] = [middleOf(grid, from), middleOf(grid, to)];
        const x = start.x + (end.x - start.x) * change.share - grid.side / 2;
        const y = start.y + (end.y - start.y) * change.share - grid.side / 2;
        drawTile(pen, grid, x, y, value, palette, gap);
      }
    } else {
      for (const [place, value] of state.cells.entries()) {
        const { x, y } = middleOf(grid, place);
        if (value > 0) drawTile(pen, grid, x - grid.side / 2, y - grid.side / 2, value, palette, gap);
      }
    }
    drawEnd(pen, scene);
  },
  read(input) {
    if (input.type === 'key') return ways.find((way) => way === input.key);
    if (input.type !== 'drag') return undefined;
    const [across, down] = [input.to.x - input.from.x, input.to.y - input.from.y];
    if (Math.abs(across) > Math.abs(down)) return across > 0 ? 'ArrowRight' : 'ArrowLeft';
    return down > 0 ? 'ArrowDown' : 'ArrowUp';
  },
  write: (way) => ({ type: 'key', key: way }),
  say: (way, { cells }) => `largest is ${Math.max(...cells)}: slide ${way.slice('Arrow'.length).toLowerCase()}`,
};

function inset(grid: Grid, place: number, gap: number) {
  const { x, y } = middleOf(grid, place);
  const side = grid.side - 2 * gap;
  return { x: x - side / 2, y: y - side / 2, width: side, height: side };
}

function drawTile(
  pen: CanvasRenderingContext2D,
  grid: Grid,
  x: number,
  y: number,
  value: number,
  palette: Palette,
  gap: number,
) {
  const rank = Math.log2(value) - 1;
  const colour = rank < 2 ? shade(palette.pieces[1] ?? '', 0.75 - 0.3 * rank) : (palette.pieces[(rank - 2) % 8] ?? '');
  tile(pen, { x, y, width: grid.side, height: grid.side }, colour, 4, gap);
  const digits = String(value).length;
  const letters = Math.round(grid.side * (digits < 3 ? 0.44 : 1.15 / digits));
  write(
    pen,
    String(value),
    { x: x + grid.side / 2, y: y + grid.side / 2 },
    { size: letters, colour: rank < 2 ? '#4a3b1f' : '#ffffff' },
  );
}
