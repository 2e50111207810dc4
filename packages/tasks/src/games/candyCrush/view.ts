import { type Swap, columns, matches, swapped } from './board.js';
import { drawCandy } from './candy.js';
import { type CandyLevel, type CandyState, clearLines } from './rules.js';
import { drawCells } from '../drawing/cells.js';
import type { ScreenSize, Spot, View } from '../game.js';
import { type Grid, cellAt, drawEnd, drawGround, gridIn, middleOf } from '../drawing/kit.js';
import { boardAndSide, factCard, rowsOf } from '../drawing/side.js';

const gridOf = (size: ScreenSize): Grid => gridIn(boardAndSide(size).board, columns, columns);

export const candyCrushView: View<CandyLevel, CandyState, Swap> = {
  animationMs: 100,
  draw(pen, scene) {
    const { size, palette, level, state, change, drag } = scene;
    const grid = gridOf(size);
    const radius = grid.side * 0.4;
    drawGround(pen, scene, 'Candy', []);
    const [goal, score, movesFrame] = rowsOf(boardAndSide(size).side, 3, 6);
    if (goal && score && movesFrame) {
      factCard(pen, goal, palette, { caption: 'goal', fact: String(level.target) });
      factCard(pen, score, palette, { caption: 'score', fact: String(state.score) });
      factCard(pen, movesFrame, palette, { caption: 'moves left', fact: String(state.left) });
    }
    drawCells(pen, grid, palette);
    const draggedSwap = drag && swapOf(grid, drag.from, drag.to);
    for (const candy of candies()) drawCandy(pen, candy.centre, radius * candy.scale, candy.kind, palette);
    drawEnd(pen, scene);

    /** Swap, then shrinking lines, then new candies falling in. */
    function candies(): { centre: Spot; kind: number; scale: number }[] {
      const still = (cells: readonly number[]) =>
        cells.map((kind, place) => ({ centre: middleOf(grid, place), kind, scale: 1 }));
      if (!change) {
        return still(state.cells).map((candy, place) => {
          if (!draggedSwap || (place !== draggedSwap.from && place !== draggedSwap.to)) return candy;
          const toward = middleOf(grid, place === draggedSwap.from ? draggedSwap.to : draggedSwap.from);
          return { ...candy, centre: between(candy.centre, toward, place === draggedSwap.from ? 0.45 : 0.2) };
        });
      }
      const { before, move, share } = change;
      if (share < 0.34) {
        const part = share * 3;
        return still(before.cells).map((candy, place) => {
          if (place !== move.from && place !== move.to) return candy;
          return {
            ...candy,
            centre: between(candy.centre, middleOf(grid, place === move.from ? move.to : move.from), part),
          };
        });
      }
      const cells = swapped(before.cells, move);
      if (share < 0.67) {
        const gone = new Set(matches(cells));
        return still(cells).map((candy, place) => (gone.has(place) ? { ...candy, scale: 2 - 3 * share } : candy));
      }
      const seen = clearLines(cells).board;
      return still(state.cells).map((candy, place) => {
        const rise = seen[place] === candy.kind ? 0 : (1 - share) * 3 * grid.side;
        return { ...candy, centre: { x: candy.centre.x, y: Math.max(grid.y + radius, candy.centre.y - rise) } };
      });
    }
  },
  read(input, _state, _level, size) {
    return input.type === 'drag' ? swapOf(gridOf(size), input.from, input.to) : undefined;
  },
  write({ from, to }, _state, _level, size) {
    const grid = gridOf(size);
    return { type: 'drag', from: middleOf(grid, from), to: middleOf(grid, to) };
  },
  say: (swap, { cells }) => `this swap makes ${clearLines(swapped(cells, swap)).gone} candies vanish`,
};

const between = (from: Spot, to: Spot, part: number): Spot => ({
  x: from.x + (to.x - from.x) * part,
  y: from.y + (to.y - from.y) * part,
});

/** Returns the swap of the dragged candy with the neighbour in the drag's direction. */
function swapOf(grid: Grid, from: Spot, to: Spot): Swap | undefined {
  const cell = cellAt(grid, from);
  if (!cell) return undefined;
  const [across, down] = [to.x - from.x, to.y - from.y];
  const isAcross = Math.abs(across) > Math.abs(down);
  const column = cell.column + (isAcross ? Math.sign(across) : 0);
  const row = cell.row + (isAcross ? 0 : Math.sign(down));
  if (column < 0 || row < 0 || column >= columns || row >= columns) return undefined;
  return { from: cell.index, to: row * columns + column };
}
