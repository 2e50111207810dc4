import type { Palette, Scene, ScreenSize, View } from '../game.js';
import {
  type Frame,
  type Grid,
  boardFrame,
  drawEnd,
  drawGround,
  gridIn,
  panel,
  pieceColour,
  shade,
  write,
} from '../drawing/kit.js';
import { type Falling, type KeyTetris, droppedPiece, keys } from './board.js';
import { across, cellsOf, down, pieceNames, squareOf } from './pieces.js';
import { type LevelTetris, type StateTetris, previewCount } from './rules.js';

type SceneTetris = Scene<LevelTetris, StateTetris, KeyTetris>;

/** The board is centred between the score and the next pieces. */
const gridOf = (size: ScreenSize): Grid => gridIn(boardFrame(size, 6), across, down);

const colourOf = (palette: Palette, kind: number): string => pieceColour(palette, [5, 1, 4, 2, 0, 3, 6][kind] ?? 7);

export const viewTetris: View<LevelTetris, StateTetris, KeyTetris> = {
  draw(pen, scene) {
    const { size, palette, level, state } = scene;
    const grid = gridOf(size);
    drawGround(pen, scene, 'tetris', [`score ${scene.status.score}`]);
    const rim = Math.max(2, Math.round(grid.side * 0.25));
    panel(
      pen,
      { x: grid.x - rim, y: grid.y - rim, width: grid.width + 2 * rim, height: grid.height + 2 * rim },
      rim,
      shade(palette.board, -0.1),
    );
    pen.fillStyle = shade(palette.hole, -0.35);
    pen.fillRect(grid.x, grid.y, grid.width, grid.height);
    pen.fillStyle = shade(palette.hole, -0.28);
    for (let column = 0; column < across; column += 2)
      pen.fillRect(grid.x + column * grid.side, grid.y, grid.side, grid.height);
    for (const [cell, value] of state.board.entries()) {
      if (value > 0) block(pen, grid, cell % across, Math.floor(cell / across), colourOf(palette, value - 1));
    }
    if (!state.full) drawPiece(pen, grid, palette, state);
    drawNext(pen, scene, grid);
    drawGoal(pen, scene, grid, `${Math.min(state.cleared, level.lines)}/${level.lines}`);
    drawEnd(pen, scene);
  },
  read: (input) =>
    input.type === 'key'
      ? keys.find((key) => key === (input.key.length > 1 ? input.key : input.key.toLowerCase()))
      : undefined,
  write: (key) => ({ type: 'key', key }),
  say(key, { piece }) {
    const name = pieceNames[piece.kind] ?? '';
    if (key === ' ') return `the ${name} is over its place: drop it`;
    if (key === 'ArrowUp' || key === 'z') return `turn the ${name} so that it fits`;
    return `move the ${name} ${key.slice('Arrow'.length).toLowerCase()} over its place`;
  },
};

function drawPiece(pen: CanvasRenderingContext2D, grid: Grid, palette: Palette, { board, piece }: StateTetris): void {
  const colour = colourOf(palette, piece.kind);
  pen.strokeStyle = shade(colour, 0.2);
  pen.lineWidth = Math.max(1, grid.side * 0.1);
  pen.globalAlpha = 0.6;
  for (const [column, row] of placesOf(droppedPiece(board, piece))) {
    const [x, y] = [grid.x + column * grid.side, grid.y + row * grid.side];
    pen.strokeRect(x + 1.5, y + 1.5, grid.side - 3, grid.side - 3);
  }
  pen.globalAlpha = 1;
  for (const [column, row] of placesOf(piece)) block(pen, grid, column, row, colour);
}

const placesOf = ({ kind, turn, x, y }: Falling): (readonly [number, number])[] =>
  cellsOf(kind, turn).map(([column, row]) => [x + column, y + row] as const);

function block(
  pen: CanvasRenderingContext2D,
  grid: Pick<Grid, 'x' | 'y' | 'side'>,
  column: number,
  row: number,
  colour: string,
): void {
  const { side } = grid;
  const [x, y] = [grid.x + column * side, grid.y + row * side];
  const edge = Math.max(1, side * 0.14);
  panel(pen, { x: x + 0.5, y: y + 0.5, width: side - 1, height: side - 1 }, side * 0.16, shade(colour, -0.32));
  panel(
    pen,
    { x: x + 0.5, y: y + 0.5, width: side - 1 - edge * 0.6, height: side - 1 - edge * 0.6 },
    side * 0.16,
    shade(colour, 0.4),
  );
  panel(
    pen,
    { x: x + 0.5 + edge, y: y + 0.5 + edge, width: side - 1 - 2 * edge, height: side - 1 - 2 * edge },
    side * 0.1,
    colour,
  );
}

function drawNext(pen: CanvasRenderingContext2D, { size, palette, state }: SceneTetris, grid: Grid): void {
  const queueX = grid.x + grid.width + grid.side * 1.4;
  const side = Math.round(grid.side * 0.9);
  const frame: Frame = {
    x: queueX,
    y: grid.y,
    width: Math.min(side * 5.4, size.width - queueX - 6),
    height: grid.side * 15.5,
  };
  panel(pen, frame, side * 0.5, palette.board);
  write(
    pen,
    'next',
    { x: frame.x + frame.width / 2, y: frame.y + side * 1.1 },
    { size: Math.max(11, side * 1.1), colour: textOn(palette) },
  );
  for (const [index, kind] of state.queue.slice(0, previewCount).entries()) {
    const middle = { x: frame.x + frame.width / 2, y: frame.y + side * (3.4 + index * 3.7) };
    const cells = cellsOf(kind, 0);
    const high = kind === 0 ? 1 : 2;
    const small = {
      x: middle.x - (squareOf(kind) / 2) * side,
      y: middle.y - (high / 2) * side - (kind === 0 ? side : 0),
      side,
    };
    for (const [column, row] of cells) block(pen, small, column, row, colourOf(palette, kind));
  }
}

function drawGoal(pen: CanvasRenderingContext2D, { palette, state }: SceneTetris, grid: Grid, done: string): void {
  const width = Math.min(grid.side * 7, grid.x - 14);
  const frame: Frame = { x: grid.x - grid.side * 1.4 - width, y: grid.y, width, height: grid.side * 8.6 };
  panel(pen, frame, grid.side * 0.45, palette.board);
  const x = frame.x + frame.width / 2;
  const line = (text: string, at: number, size: number, colour: string) =>
    write(pen, text, { x, y: frame.y + at * grid.side }, { size, colour });
  const small = Math.max(11, grid.side);
  line('lines', 1.2, small, textOn(palette));
  line(done, 3.1, Math.max(16, grid.side * 1.9), textOn(palette));
  line('pieces', 5.4, small, textOn(palette));
  line(String(state.placed), 7.1, Math.max(14, grid.side * 1.5), textOn(palette));
}

function textOn({ board }: Palette): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(board.slice(at, at + 2), 16));
  return 0.3 * red + 0.6 * green + 0.1 * blue > 150 ? '#20242c' : '#ffffff';
}
