import { type Arrow, arrowOf, directionName } from '../rules/arrows.js';
import type { Palette, Scene, ScreenSize, Spot, View } from '../game.js';
import {
  type Grid,
  boardFrame,
  drawEnd,
  drawGround,
  gridIn,
  middleOf,
  panel,
  pieceColour,
  shade,
} from '../drawing/kit.js';
import { isTarget, isWall, type Room } from './room.js';
import type { LevelSokoban, MoveSokoban, StateSokoban } from './rules.js';

type SceneSokoban = Scene<LevelSokoban, StateSokoban, MoveSokoban>;

const gridOf = (room: Room, size: ScreenSize): Grid => gridIn(boardFrame(size), room.columns, room.rows);

export const viewSokoban: View<LevelSokoban, StateSokoban, MoveSokoban> = {
  animationMs: 80,
  draw(pen, scene) {
    const { size, level, state, status } = scene;
    const grid = gridOf(level, size);
    drawGround(pen, scene, 'sokoban', [`${status.score}/${state.boxes.length}`, 'U undo', 'R again']);
    for (let cell = 0; cell < level.cells.length; cell++) drawCell(pen, scene, grid, cell);
    for (const [index, box] of state.boxes.entries())
      drawCrate(pen, scene.palette, grid, boxAt(scene, grid, index, box), isTarget(level, box));
    drawWorker(pen, scene.palette, grid.side, workerAt(scene, grid), state.facing);
    drawEnd(pen, scene);
  },
  read(input) {
    if (input.type !== 'key') return undefined;
    const key = input.key.toLowerCase();
    return key === 'u' ? 'undo' : key === 'r' ? 'restart' : arrowOf(input.key);
  },
  write: (move) => ({ type: 'key', key: move === 'undo' ? 'u' : move === 'restart' ? 'r' : move }),
  say(move, { worker, boxes }, level) {
    if (move === 'undo') return 'no way is left from here: take the move back';
    if (move === 'restart') return 'no way is left from here: start again';
    const next =
      worker +
      (move === 'ArrowUp' ? -level.columns : move === 'ArrowDown' ? level.columns : move === 'ArrowLeft' ? -1 : 1);
    return boxes.includes(next)
      ? `push the box ${directionName(move)}`
      : `walk ${directionName(move)} to get behind a box`;
  },
};

function between(grid: Grid, from: number, to: number, share: number): Spot {
  const [start, end] = [middleOf(grid, from), middleOf(grid, to)];
  return { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
}

function workerAt({ state, change }: SceneSokoban, grid: Grid): Spot {
  return change && change.move !== 'restart'
    ? between(grid, change.before.worker, state.worker, change.share)
    : middleOf(grid, state.worker);
}

function boxAt({ state, change }: SceneSokoban, grid: Grid, index: number, box: number): Spot {
  if (!change || change.move === 'restart' || change.before.boxes.includes(box)) return middleOf(grid, box);
  const from = change.before.boxes.find((other) => !state.boxes.includes(other));
  return from === undefined ? middleOf(grid, state.boxes[index] ?? box) : between(grid, from, box, change.share);
}

/** Skips walls without adjacent floor. */
function drawCell(pen: CanvasRenderingContext2D, { level, palette }: SceneSokoban, grid: Grid, cell: number): void {
  const { side } = grid;
  const [column, row] = [cell % level.columns, Math.floor(cell / level.columns)];
  const [x, y] = [grid.x + column * side, grid.y + row * side];
  if (isWall(level, cell)) {
    if (!isNextToFloor(level, cell)) return;
    pen.fillStyle = shade(palette.board, -0.28);
    pen.fillRect(x, y, side, side);
    panel(
      pen,
      { x: x + 1, y: y + 1, width: side - 2, height: side - Math.max(3, side * 0.2) },
      side * 0.14,
      shade(palette.board, 0.06),
    );
    panel(
      pen,
      { x: x + 2, y: y + 1, width: side - 4, height: Math.max(1, side * 0.1) },
      side * 0.05,
      shade(palette.board, 0.24),
    );
    return;
  }
  pen.fillStyle = shade(palette.hole, (column + row) % 2 === 0 ? 0.2 : 0.26);
  pen.fillRect(x, y, side, side);
  if (cell >= level.columns && isWall(level, cell - level.columns)) {
    pen.fillStyle = 'rgba(0,0,0,0.18)';
    pen.fillRect(x, y, side, side * 0.14);
  }
  if (isTarget(level, cell)) drawTarget(pen, palette, side, middleOf(grid, cell));
}

function isNextToFloor(room: Room, cell: number): boolean {
  const [column, row] = [cell % room.columns, Math.floor(cell / room.columns)];
  for (let y = Math.max(0, row - 1); y <= Math.min(room.rows - 1, row + 1); y++)
    for (let x = Math.max(0, column - 1); x <= Math.min(room.columns - 1, column + 1); x++)
      if (!isWall(room, y * room.columns + x)) return true;
  return false;
}

function disc(pen: CanvasRenderingContext2D, { x, y }: Spot, radius: number, colour: string): void {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function drawTarget(pen: CanvasRenderingContext2D, palette: Palette, side: number, centre: Spot): void {
  disc(pen, centre, side * 0.34, 'rgba(0,0,0,0.16)');
  disc(pen, centre, side * 0.3, palette.accent);
  disc(pen, centre, side * 0.19, shade(palette.hole, 0.3));
  disc(pen, centre, side * 0.09, palette.accent);
}

function drawCrate(pen: CanvasRenderingContext2D, palette: Palette, grid: Grid, centre: Spot, docked: boolean): void {
  const side = grid.side * 0.84;
  const frame = { x: centre.x - side / 2, y: centre.y - side / 2, width: side, height: side };
  const colour = docked ? pieceColour(palette, 2) : shade(pieceColour(palette, 1), -0.1);
  panel(pen, { ...frame, y: frame.y + side * 0.1 }, side * 0.12, 'rgba(0,0,0,0.25)');
  panel(pen, frame, side * 0.12, shade(colour, -0.42));
  const rim = side * 0.1;
  panel(
    pen,
    { x: frame.x + rim / 2, y: frame.y + rim / 2, width: side - rim, height: side - rim },
    side * 0.08,
    shade(colour, 0.16),
  );
  const inner = { x: frame.x + 2 * rim, y: frame.y + 2 * rim, width: side - 4 * rim, height: side - 4 * rim };
  panel(pen, inner, side * 0.04, shade(colour, -0.22));
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  pen.beginPath();
  if (docked) {
    pen.strokeStyle = '#ffffff';
    pen.lineWidth = side * 0.13;
    pen.moveTo(centre.x - side * 0.2, centre.y + side * 0.02);
    pen.lineTo(centre.x - side * 0.05, centre.y + side * 0.17);
    pen.lineTo(centre.x + side * 0.22, centre.y - side * 0.17);
  } else {
    pen.strokeStyle = shade(colour, 0.16);
    pen.lineWidth = rim * 1.1;
    pen.moveTo(inner.x + rim / 2, inner.y + rim / 2);
    pen.lineTo(inner.x + inner.width - rim / 2, inner.y + inner.height - rim / 2);
    pen.moveTo(inner.x + inner.width - rim / 2, inner.y + rim / 2);
    pen.lineTo(inner.x + rim / 2, inner.y + inner.height - rim / 2);
  }
  pen.stroke();
}

/** Seen from its last direction. */
function drawWorker(pen: CanvasRenderingContext2D, palette: Palette, side: number, centre: Spot, facing: Arrow): void {
  const look = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] }[facing] as [
    number,
    number,
  ];
  const cloth = pieceColour(palette, 3);
  pen.fillStyle = 'rgba(0,0,0,0.25)';
  pen.beginPath();
  pen.ellipse(centre.x, centre.y + side * 0.37, side * 0.28, side * 0.1, 0, 0, 2 * Math.PI);
  pen.fill();
  panel(
    pen,
    { x: centre.x - side * 0.25, y: centre.y - side * 0.02, width: side * 0.5, height: side * 0.42 },
    side * 0.16,
    shade(cloth, -0.3),
  );
  panel(
    pen,
    { x: centre.x - side * 0.22, y: centre.y - side * 0.02, width: side * 0.44, height: side * 0.36 },
    side * 0.15,
    cloth,
  );
  const head = { x: centre.x, y: centre.y - side * 0.15 };
  disc(pen, head, side * 0.25, '#7a4a2a');
  disc(pen, head, side * 0.225, '#f5cfa6');
  // From behind, it covers the whole head.
  pen.fillStyle = pieceColour(palette, 1);
  pen.beginPath();
  if (facing === 'ArrowUp') pen.arc(head.x, head.y, side * 0.235, 0, 2 * Math.PI);
  else pen.arc(head.x, head.y - side * 0.02, side * 0.235, Math.PI, 2 * Math.PI);
  pen.fill();
  if (facing === 'ArrowUp') return;
  panel(
    pen,
    { x: head.x + look[0] * side * 0.12 - side * 0.2, y: head.y - side * 0.06, width: side * 0.4, height: side * 0.07 },
    side * 0.03,
    shade(pieceColour(palette, 1), -0.25),
  );
  for (const eye of look[0] === 0 ? [-1, 1] : [look[0] * 1.1])
    disc(pen, { x: head.x + eye * side * 0.09, y: head.y + side * 0.07 }, side * 0.04, '#2b1c10');
}
