import type { Palette, ScreenSize, Spot, View } from '../game.js';
import {
  type Frame,
  type Grid,
  cellAt,
  drawEnd,
  drawGround,
  middle,
  panel,
  pieceColour,
  shade,
  tile,
} from '../drawing/kit.js';
import { drawPlate, gridOnPlate, rimOf } from '../drawing/plate.js';
import { type Block, freeRange, sideOfBoard } from './block.js';
import { type KeyLevel, type KeyMove, type KeyState, blockAt, gateRow } from './rules.js';

/** Kinds that differ from the accent, the key's colour, in every palette. */
const blockKinds = [3, 5, 2, 4, 7];

const gridOf = (size: ScreenSize): Grid => gridOnPlate(size, { columns: sideOfBoard, rows: sideOfBoard }, 1);

export const freeTheKeyView: View<KeyLevel, KeyState, KeyMove> = {
  draw(pen, scene) {
    const { size, palette, level, state, drag, status } = scene;
    const grid = gridOf(size);
    drawGround(pen, scene, 'free the key', [`moves ${scene.moves}`]);
    drawBoard(pen, size, grid, palette);
    const dragged = drag && pulled(drag.from, drag.to, state, level, size);
    for (const [index, block] of level.blocks.entries()) {
      const slid = dragged?.block === index ? dragged.slid : 0;
      const position = (state.at[index] ?? 0) + slid + (status.won && index === 0 ? 1.2 : 0);
      drawBlock(pen, grid, block, position, index, palette);
    }
    drawEnd(pen, scene);
  },
  read(input, state, level, size) {
    if (input.type !== 'drag') return undefined;
    const drag = pulled(input.from, input.to, state, level, size);
    return drag && { block: drag.block, to: (state.at[drag.block] ?? 0) + Math.round(drag.slid) };
  },
  write({ block, to }, { at: blockPlaces }, { blocks }, size) {
    const grid = gridOf(size);
    const moving = blocks[block] ?? { isUpright: false, lane: 0, length: 1 };
    return {
      type: 'drag',
      from: middle(frameOf(grid, moving, blockPlaces[block] ?? 0)),
      to: middle(frameOf(grid, moving, to)),
    };
  },
  say({ block, to }, { at: blockPlaces }, { blocks }) {
    const steps = to - (blockPlaces[block] ?? 0);
    const direction = blocks[block]?.isUpright ? (steps > 0 ? 'down' : 'up') : steps > 0 ? 'right' : 'left';
    return block === 0
      ? `the key can go ${direction}`
      : `a block is in the way: slide it ${direction} by ${Math.abs(steps)}`;
  },
};

/** Returns the dragged block and how many cells it can slide. */
function pulled(from: Spot, to: Spot, { at: blockPlaces }: KeyState, { blocks }: KeyLevel, size: ScreenSize) {
  const grid = gridOf(size);
  const cell = cellAt(grid, from)?.index;
  const block = cell === undefined ? undefined : blockAt(blocks, blockPlaces, cell);
  const range = block === undefined ? undefined : freeRange(blocks, blockPlaces, block);
  if (block === undefined || !range) return undefined;
  const place = blockPlaces[block] ?? 0;
  const pull = (blocks[block]?.isUpright ? to.y - from.y : to.x - from.x) / grid.side;
  return { block, slid: Math.max(range.first - place, Math.min(range.last - place, pull)) };
}

function frameOf(grid: Grid, { isUpright, lane, length }: Block, position: number): Frame {
  const [column, row] = isUpright ? [lane, position] : [position, lane];
  const [across, down] = isUpright ? [1, length] : [length, 1];
  return {
    x: grid.x + column * grid.side,
    y: grid.y + row * grid.side,
    width: across * grid.side,
    height: down * grid.side,
  };
}

function drawBoard(pen: CanvasRenderingContext2D, size: ScreenSize, grid: Grid, palette: Palette): void {
  const rim = rimOf(size);
  drawPlate(pen, size, grid, palette.board);
  const bed = shade(palette.hole, -0.08);
  panel(pen, grid, rim * 0.5, bed);
  for (let cell = 0; cell < sideOfBoard * sideOfBoard; cell++) {
    const [column, row] = [cell % sideOfBoard, Math.floor(cell / sideOfBoard)];
    const frame = { x: grid.x + column * grid.side + 1, y: grid.y + row * grid.side + 1 };
    panel(pen, { ...frame, width: grid.side - 2, height: grid.side - 2 }, grid.side * 0.12, shade(palette.hole, 0.06));
  }
  const top = grid.y + gateRow * grid.side;
  const right = grid.x + grid.width;
  panel(pen, { x: right - 1, y: top + 1, width: rim + 2, height: grid.side - 2 }, 0, bed);
  pen.strokeStyle = palette.accent;
  pen.lineWidth = Math.max(2, grid.side * 0.09);
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  for (const step of [0, 1, 2]) {
    const x = right + rim + grid.side * (0.2 + 0.28 * step);
    const y = top + grid.side / 2;
    pen.globalAlpha = 1 - 0.28 * step;
    pen.beginPath();
    pen.moveTo(x, y - grid.side * 0.2);
    pen.lineTo(x + grid.side * 0.18, y);
    pen.lineTo(x, y + grid.side * 0.2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function drawBlock(
  pen: CanvasRenderingContext2D,
  grid: Grid,
  block: Block,
  position: number,
  index: number,
  palette: Palette,
): void {
  const frame = frameOf(grid, block, position);
  const colour = index === 0 ? palette.accent : pieceColour(palette, blockKinds[index % blockKinds.length] ?? 3);
  const gap = Math.max(1, grid.side * 0.05);
  const radius = grid.side * 0.18;
  pen.save();
  pen.shadowColor = 'rgba(0,0,0,0.35)';
  pen.shadowBlur = grid.side * 0.12;
  pen.shadowOffsetY = grid.side * 0.05;
  const cast = { x: frame.x + gap, y: frame.y + gap, width: frame.width - 2 * gap, height: frame.height - 2 * gap };
  panel(pen, cast, radius, shade(colour, -0.22));
  pen.restore();
  tile(pen, frame, colour, radius, gap);
  const centre = middle(frame);
  if (index === 0) return drawKey(pen, centre, grid.side, palette);
  pen.lineWidth = Math.max(1.5, grid.side * 0.06);
  pen.lineCap = 'round';
  for (const [tint, shift] of [
    [0.35, 1],
    [-0.3, 0],
  ] as const) {
    pen.strokeStyle = shade(colour, tint);
    pen.beginPath();
    for (const place of [-1, 0, 1]) {
      const along = place * grid.side * 0.17;
      const half = grid.side * 0.17;
      const [x, y] = block.isUpright ? [centre.x, centre.y + along + shift] : [centre.x + along + shift, centre.y];
      pen.moveTo(x - (block.isUpright ? half : 0), y - (block.isUpright ? 0 : half));
      pen.lineTo(x + (block.isUpright ? half : 0), y + (block.isUpright ? 0 : half));
    }
    pen.stroke();
  }
}

function drawKey(pen: CanvasRenderingContext2D, { x, y }: Spot, side: number, palette: Palette): void {
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  for (const [colour, width, shift] of [
    [shade(palette.accent, -0.45), side * 0.13, side * 0.04],
    ['#fff4cf', side * 0.13, 0],
  ] as const) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(x - side * 0.42, y + shift, side * 0.19, 0, 2 * Math.PI);
    pen.moveTo(x - side * 0.22, y + shift);
    pen.lineTo(x + side * 0.58, y + shift);
    pen.moveTo(x + side * 0.34, y + shift);
    pen.lineTo(x + side * 0.34, y + side * 0.2 + shift);
    pen.moveTo(x + side * 0.56, y + shift);
    pen.lineTo(x + side * 0.56, y + side * 0.22 + shift);
    pen.stroke();
  }
}
