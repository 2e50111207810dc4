import type { Palette, ScreenSize, Spot, View } from '../game.js';
import {
  type Frame,
  type Grid,
  boardFrame,
  cellAt,
  drawEnd,
  drawGround,
  gridIn,
  middle,
  panel,
  pieceColour,
  shade,
} from '../drawing/kit.js';
import { placeName } from '../rules/sides.js';
import { drawShape } from './drawShape.js';
import { type ShapesLevel, type ShapesMove, type ShapesState, inTray, placesOf, shapesGame } from './rules.js';
import { type Shape, extentOf, turnedShape } from './shape.js';

interface Layout {
  readonly board: Grid;
  readonly tray: Frame;
  readonly slots: readonly Frame[];
  readonly cell: number;
}

function layoutOf(size: ScreenSize, { columns, rows, shapes }: ShapesLevel): Layout {
  const whole = boardFrame(size);
  const across = shapes.length > 3 ? 2 : 1;
  const width = Math.round(whole.width * (across === 2 ? 0.36 : 0.28));
  const tray = { ...whole, x: whole.x + whole.width - width, width };
  const gap = Math.round(size.width * 0.025);
  const board = gridIn({ ...whole, width: whole.width - width - gap }, columns, rows, size.height * 0.18);
  const down = Math.ceil(shapes.length / across);
  const slot = { width: width / across, height: tray.height / down };
  const slots = shapes.map((_, index) => ({
    x: tray.x + (index % across) * slot.width,
    y: tray.y + Math.floor(index / across) * slot.height,
    ...slot,
  }));
  // Every slot has room for all turns.
  const longest = Math.max(...shapes.map((shape) => Math.max(extentOf(shape).columns, extentOf(shape).rows)));
  const cell = Math.min((slot.width * 0.86) / longest, (slot.height * 0.86) / longest, board.side * 0.75);
  return { board, tray, slots, cell };
}

export const shapesView: View<ShapesLevel, ShapesState, ShapesMove> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change, drag, status } = scene;
    const layout = layoutOf(size, level);
    drawGround(pen, scene, 'shapes', [`filled ${status.score}/${level.silhouette.length}`]);
    drawTray(pen, layout, palette);
    drawSilhouette(pen, layout.board, level, palette);
    const dragged = drag && isFar(drag.from, drag.to) ? shapeAt(layout, level, state, drag.from) : undefined;
    for (const index of level.shapes.keys()) {
      if (index === dragged) continue;
      const turning = change && 'turn' in change.move && change.move.shape === index ? 1 - change.share : 0;
      drawAtPlace(pen, layout, level, state, index, palette, turning);
    }
    if (dragged !== undefined && drag) drawHeld(pen, layout, level, state, dragged, drag, palette);
    drawEnd(pen, scene);
  },
  read(input, state, level, size) {
    const layout = layoutOf(size, level);
    if (input.type === 'press') {
      const shape = shapeAt(layout, level, state, input.spot);
      return shape === undefined ? undefined : { shape, turn: true };
    }
    if (input.type !== 'drag') return undefined;
    const shape = shapeAt(layout, level, state, input.from);
    return shape === undefined ? undefined : droppedAt(layout, level, state, shape, input.from, input.to);
  },
  write(move, state, level, size) {
    const layout = layoutOf(size, level);
    const from = middle(layout.slots[move.shape] ?? layout.tray);
    if ('turn' in move) return { type: 'press', spot: from };
    if (move.at === inTray)
      return { type: 'drag', from: grip(layout, level, state, move.shape), to: middle(layout.tray) };
    const corner = cornerOf(layout.board, move.at);
    const { columns, rows } = extentOf(lying(level, state, move.shape));
    const to = { x: corner.x + (columns * layout.board.side) / 2, y: corner.y + (rows * layout.board.side) / 2 };
    return { type: 'drag', from, to };
  },
  say(move, { laid }, level) {
    const size = level.shapes[move.shape]?.length ?? 0;
    if ('turn' in move) return `the shape of ${size} cells must be turned to fit`;
    if (move.at !== inTray) return `the shape of ${size} cells fits from ${placeName(level, move.at)}`;
    return `the shape in ${placeName(level, laid[move.shape]?.at ?? 0)} keeps the others from fitting: back to the tray`;
  },
};

const isFar = (from: Spot, to: Spot) => Math.hypot(to.x - from.x, to.y - from.y) > 6;

const lying = ({ shapes }: ShapesLevel, { laid }: ShapesState, index: number): Shape =>
  turnedShape(shapes[index] ?? [], laid[index]?.turns ?? 0);

const cornerOf = (board: Grid, place: number): Spot => ({
  x: board.x + (place % board.columns) * board.side,
  y: board.y + Math.floor(place / board.columns) * board.side,
});

/** Slots match anywhere, the board only where a shape covers it. */
function shapeAt({ board, slots }: Layout, level: ShapesLevel, state: ShapesState, spot: Spot): number | undefined {
  const place = cellAt(board, spot)?.index;
  const hit = state.laid.findIndex(({ at: corner }, index) => {
    if (corner !== inTray) return place !== undefined && placesOf(level, state, index).includes(place);
    const { x, y, width, height } = slots[index] ?? board;
    return spot.x >= x && spot.x < x + width && spot.y >= y && spot.y < y + height;
  });
  return hit < 0 ? undefined : hit;
}

/** From the tray, a shape is held by its centre. */
function heldCorner(layout: Layout, level: ShapesLevel, state: ShapesState, index: number, from: Spot, to: Spot): Spot {
  const { board } = layout;
  const place = state.laid[index]?.at ?? inTray;
  const { columns, rows } = extentOf(lying(level, state, index));
  if (place === inTray) return { x: to.x - (columns * board.side) / 2, y: to.y - (rows * board.side) / 2 };
  const corner = cornerOf(board, place);
  return { x: corner.x + to.x - from.x, y: corner.y + to.y - from.y };
}

function droppedAt(
  layout: Layout,
  level: ShapesLevel,
  state: ShapesState,
  shape: number,
  from: Spot,
  to: Spot,
): ShapesMove | undefined {
  const { board, tray } = layout;
  if (to.x >= tray.x) return { shape, at: inTray };
  const corner = heldCorner(layout, level, state, shape, from, to);
  const column = Math.round((corner.x - board.x) / board.side);
  const row = Math.round((corner.y - board.y) / board.side);
  if (column < 0 || row < 0 || column >= board.columns || row >= board.rows) return undefined;
  return { shape, at: row * board.columns + column };
}

function grip({ board }: Layout, level: ShapesLevel, state: ShapesState, index: number): Spot {
  const corner = cornerOf(board, placesOf(level, state, index)[0] ?? 0);
  return { x: corner.x + board.side / 2, y: corner.y + board.side / 2 };
}

function drawTray(pen: CanvasRenderingContext2D, { tray, slots }: Layout, palette: Palette): void {
  const radius = tray.width * 0.07;
  panel(pen, { ...tray, y: tray.y + 2 }, radius, shade(palette.board, -0.3));
  panel(pen, tray, radius, palette.board);
  for (const { x, y, width, height } of slots) {
    const gap = Math.max(2, Math.round(tray.width * 0.025));
    panel(
      pen,
      { x: x + gap, y: y + gap, width: width - 2 * gap, height: height - 2 * gap },
      radius * 0.8,
      palette.hole,
    );
  }
}

/** Dark above, lit below. */
function drawSilhouette(pen: CanvasRenderingContext2D, board: Grid, level: ShapesLevel, palette: Palette): void {
  const figure = level.silhouette.map((place) => [place % level.columns, Math.floor(place / level.columns)] as const);
  const edge = Math.max(2, board.side * 0.09);
  const lift = Math.max(1, board.side * 0.05);
  drawShape(pen, figure, { x: board.x, y: board.y + lift }, board.side, -edge, shade(palette.board, 0.4));
  drawShape(pen, figure, { x: board.x, y: board.y }, board.side, -edge, shade(palette.board, 0.12));
  drawShape(pen, figure, { x: board.x, y: board.y + lift }, board.side, 0, shade(palette.board, -0.52));
  pen.fillStyle = 'rgba(255,255,255,0.13)';
  for (const [column, row] of figure) {
    pen.beginPath();
    pen.arc(
      board.x + (column + 0.5) * board.side,
      board.y + (row + 0.5) * board.side,
      board.side * 0.07,
      0,
      2 * Math.PI,
    );
    pen.fill();
  }
}

function drawAtPlace(
  pen: CanvasRenderingContext2D,
  { board, slots, cell }: Layout,
  level: ShapesLevel,
  state: ShapesState,
  index: number,
  palette: Palette,
  turning: number,
): void {
  const shape = lying(level, state, index);
  const place = state.laid[index]?.at ?? inTray;
  const colour = pieceColour(palette, index);
  if (place !== inTray) return drawPiece(pen, shape, cornerOf(board, place), board.side, colour, index);
  const slot = middle(slots[index] ?? board);
  const { columns, rows } = extentOf(shape);
  pen.save();
  pen.translate(slot.x, slot.y);
  pen.rotate((-turning * Math.PI) / 2);
  drawPiece(pen, shape, { x: (-columns * cell) / 2, y: (-rows * cell) / 2 }, cell, colour, index);
  pen.restore();
}

function drawHeld(
  pen: CanvasRenderingContext2D,
  layout: Layout,
  level: ShapesLevel,
  state: ShapesState,
  index: number,
  drag: { readonly from: Spot; readonly to: Spot },
  palette: Palette,
): void {
  const { board } = layout;
  const shape = lying(level, state, index);
  const drop = droppedAt(layout, level, state, index, drag.from, drag.to);
  const after = drop && shapesGame.move(state, drop, level);
  const place = after && after !== state ? (after.laid[index]?.at ?? inTray) : inTray;
  if (place !== inTray)
    drawShape(pen, shape, cornerOf(board, place), board.side, board.side * 0.06, 'rgba(255,255,255,0.35)');
  const corner = heldCorner(layout, level, state, index, drag.from, drag.to);
  pen.save();
  pen.shadowColor = 'rgba(0,0,0,0.45)';
  pen.shadowBlur = board.side * 0.3;
  pen.shadowOffsetY = board.side * 0.12;
  drawShape(pen, shape, corner, board.side, board.side * 0.04, pieceColour(palette, index));
  pen.restore();
  drawPiece(pen, shape, corner, board.side, pieceColour(palette, index), index);
}

/** The second eight have a mark. */
function drawPiece(
  pen: CanvasRenderingContext2D,
  shape: Shape,
  corner: Spot,
  side: number,
  colour: string,
  index: number,
): void {
  const lift = Math.max(0.75, side * 0.045);
  drawShape(pen, shape, { x: corner.x, y: corner.y + lift }, side, lift, shade(colour, -0.38));
  drawShape(pen, shape, { x: corner.x, y: corner.y - lift }, side, lift, shade(colour, 0.35));
  drawShape(pen, shape, corner, side, lift, colour);
  pen.fillStyle = shade(colour, index < 8 ? 0.16 : -0.3);
  for (const [column, row] of shape) {
    const [x, y] = [corner.x + (column + 0.5) * side, corner.y + (row + 0.5) * side];
    pen.beginPath();
    pen.arc(x, y, side * 0.13, 0, 2 * Math.PI);
    pen.fill();
  }
}
