import { type Arrow, arrowOf, stepOf, directionName } from '../rules/arrows.js';
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
import type { LevelSnake, MoveSnake, StateSnake } from './rules.js';

type SceneSnake = Scene<LevelSnake, StateSnake, MoveSnake>;

const gridOf = (level: LevelSnake, size: ScreenSize): Grid => gridIn(boardFrame(size, 6), level.columns, level.rows);

export const viewSnakeSolver: View<LevelSnake, StateSnake, MoveSnake> = {
  animationMs: 80,
  draw(pen, scene) {
    const { size, palette, level, state } = scene;
    const grid = gridOf(level, size);
    const eaten = level.fruit.length - state.fruit.length;
    drawGround(pen, scene, 'snake', [`${eaten}/${level.fruit.length}`, 'U undo', 'R again']);
    drawWorld(pen, scene, grid);
    drawExit(pen, palette, grid.side, middleOf(grid, level.exit), state.fruit.length === 0);
    for (const cell of state.fruit) drawFruit(pen, palette, grid.side, middleOf(grid, cell));
    drawSnake(pen, scene, grid);
    if (level.gravity) drawWater(pen, scene, grid);
    drawEnd(pen, scene);
  },
  read(input) {
    if (input.type !== 'key') return undefined;
    const key = input.key.toLowerCase();
    return key === 'u' ? 'undo' : key === 'r' ? 'restart' : arrowOf(input.key);
  },
  write: (move) => ({ type: 'key', key: move === 'undo' ? 'u' : move === 'restart' ? 'r' : move }),
  say(move, { fruit, sunk, body }, level) {
    if (move === 'undo')
      return sunk ? 'it fell into the water: take the step back' : 'no way is left from here: take the step back';
    if (move === 'restart') return 'no way is left from here: start again';
    if (fruit.includes(body[0]! + stepOf(move, level.columns))) return `eat the fruit: ${directionName(move)}`;
    return fruit.length > 0
      ? `${fruit.length} fruit to eat: go ${directionName(move)}`
      : `all is eaten: go ${directionName(move)} to the exit`;
  },
};

function drawWorld(pen: CanvasRenderingContext2D, { level, palette }: SceneSnake, grid: Grid): void {
  const { side } = grid;
  const { columns, cells, gravity } = level;
  panel(pen, grid, side * 0.2, gravity ? shade(palette.hole, 0.12) : shade(palette.hole, 0.22));
  for (let cell = 0; cell < cells.length; cell++) {
    const [x, y] = [grid.x + (cell % columns) * side, grid.y + Math.floor(cell / columns) * side];
    if (cells[cell] !== '#') {
      if (gravity || ((cell % columns) + Math.floor(cell / columns)) % 2 === 0) continue;
      pen.fillStyle = shade(palette.hole, 0.3);
      pen.fillRect(x, y, side, side);
      continue;
    }
    const above = cell < columns || cells[cell - columns] !== ' ';
    const rock = shade(palette.board, gravity ? -0.2 : -0.12);
    if (gravity) {
      pen.fillStyle = rock;
      pen.fillRect(x, y, side, side);
      pen.fillStyle = shade(palette.board, -0.3);
      for (const [across, down] of [
        [0.22, 0.62],
        [0.64, 0.4],
        [0.7, 0.8],
      ] as const)
        pen.fillRect(x + across * side, y + down * side, side * 0.12, side * 0.1);
      if (above) continue;
      panel(
        pen,
        { x: x - 1, y: y - 1, width: side + 2, height: side * 0.3 },
        side * 0.12,
        shade(pieceColour(palette, 2), -0.12),
      );
      panel(
        pen,
        { x: x - 1, y: y - 1, width: side + 2, height: side * 0.14 },
        side * 0.07,
        shade(pieceColour(palette, 2), 0.25),
      );
    } else {
      panel(pen, { x: x + 0.5, y: y + 1.5, width: side - 1, height: side - 1 }, side * 0.3, shade(palette.board, -0.4));
      panel(pen, { x: x + 0.5, y, width: side - 1, height: side - 2 }, side * 0.3, rock);
      for (const [across, down, size] of [
        [0.3, 0.3, 0.16],
        [0.66, 0.26, 0.12],
        [0.58, 0.6, 0.15],
        [0.26, 0.66, 0.1],
      ] as const)
        disc(pen, { x: x + across * side, y: y + down * side }, size * side, shade(palette.board, 0.1));
    }
  }
}

function drawWater(pen: CanvasRenderingContext2D, { level, palette }: SceneSnake, grid: Grid): void {
  const { side } = grid;
  const blue = pieceColour(palette, 3);
  for (let cell = 0; cell < level.cells.length; cell++) {
    if (level.cells[cell] !== '~') continue;
    const [x, y] = [grid.x + (cell % level.columns) * side, grid.y + Math.floor(cell / level.columns) * side];
    pen.globalAlpha = 0.82;
    pen.fillStyle = blue;
    pen.beginPath();
    pen.moveTo(x, y + side);
    pen.lineTo(x, y + side * 0.3);
    pen.quadraticCurveTo(x + side * 0.25, y + side * 0.1, x + side * 0.5, y + side * 0.3);
    pen.quadraticCurveTo(x + side * 0.75, y + side * 0.5, x + side, y + side * 0.3);
    pen.lineTo(x + side, y + side);
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = shade(blue, 0.55);
    pen.lineWidth = Math.max(1, side * 0.07);
    pen.beginPath();
    pen.moveTo(x, y + side * 0.3);
    pen.quadraticCurveTo(x + side * 0.25, y + side * 0.1, x + side * 0.5, y + side * 0.3);
    pen.quadraticCurveTo(x + side * 0.75, y + side * 0.5, x + side, y + side * 0.3);
    pen.stroke();
  }
}

function disc(pen: CanvasRenderingContext2D, { x, y }: Spot, radius: number, colour: string): void {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function drawExit(pen: CanvasRenderingContext2D, palette: Palette, side: number, centre: Spot, open: boolean): void {
  const colour = open ? pieceColour(palette, 4) : '#8a8f98';
  if (open) disc(pen, centre, side * 0.48, 'rgba(255,255,255,0.35)');
  disc(pen, centre, side * 0.42, shade(colour, -0.3));
  disc(pen, centre, side * 0.38, shade(colour, 0.25));
  disc(pen, centre, side * 0.27, open ? '#ffffff' : '#3b3f47');
  if (open) {
    disc(pen, centre, side * 0.17, shade(colour, 0.4));
    disc(pen, centre, side * 0.09, colour);
    return;
  }
  pen.strokeStyle = '#c9ced8';
  pen.lineWidth = Math.max(1.5, side * 0.08);
  pen.lineCap = 'round';
  const arm = side * 0.12;
  pen.beginPath();
  pen.moveTo(centre.x - arm, centre.y - arm);
  pen.lineTo(centre.x + arm, centre.y + arm);
  pen.moveTo(centre.x + arm, centre.y - arm);
  pen.lineTo(centre.x - arm, centre.y + arm);
  pen.stroke();
}

function drawFruit(pen: CanvasRenderingContext2D, palette: Palette, side: number, { x, y }: Spot): void {
  const red = pieceColour(palette, 0);
  pen.fillStyle = 'rgba(0,0,0,0.2)';
  pen.beginPath();
  pen.ellipse(x, y + side * 0.34, side * 0.24, side * 0.08, 0, 0, 2 * Math.PI);
  pen.fill();
  for (const [radius, colour] of [
    [0.21, shade(red, -0.35)],
    [0.185, red],
  ] as const) {
    disc(pen, { x: x - side * 0.1, y: y + side * 0.08 }, side * radius, colour);
    disc(pen, { x: x + side * 0.1, y: y + side * 0.08 }, side * radius, colour);
    disc(pen, { x, y: y + side * 0.12 }, side * radius, colour);
  }
  disc(pen, { x: x - side * 0.14, y: y + side * 0.01 }, side * 0.06, 'rgba(255,255,255,0.75)');
  pen.strokeStyle = '#6b4423';
  pen.lineWidth = Math.max(1.2, side * 0.07);
  pen.lineCap = 'round';
  pen.beginPath();
  pen.moveTo(x, y - side * 0.06);
  pen.quadraticCurveTo(x + side * 0.02, y - side * 0.22, x + side * 0.08, y - side * 0.28);
  pen.stroke();
  pen.fillStyle = '#4fae4a';
  pen.beginPath();
  pen.ellipse(x + side * 0.18, y - side * 0.2, side * 0.12, side * 0.06, -0.5, 0, 2 * Math.PI);
  pen.fill();
}

function spotsOf({ state, change }: SceneSnake, grid: Grid): Spot[] {
  return state.body.map((cell, index) => {
    const to = middleOf(grid, cell);
    if (!change || change.move === 'restart' || change.move === 'undo') return to;
    const { body } = change.before;
    const from = middleOf(grid, body[Math.min(index, body.length - 1)] ?? cell);
    return { x: from.x + (to.x - from.x) * change.share, y: from.y + (to.y - from.y) * change.share };
  });
}

function drawSnake(pen: CanvasRenderingContext2D, scene: SceneSnake, grid: Grid): void {
  const { palette, state, level } = scene;
  const { side } = grid;
  const spots = spotsOf(scene, grid);
  const green = pieceColour(palette, 5);
  const line = (width: number, colour: string, from = 0) => {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.lineCap = pen.lineJoin = 'round';
    pen.beginPath();
    for (const [index, { x, y }] of spots.entries()) {
      if (index < from) continue;
      if (index === from) pen.moveTo(x, y);
      else pen.lineTo(x, y);
    }
    pen.stroke();
  };
  line(side * 0.72, shade(green, -0.5));
  line(side * 0.62, green);
  line(side * 0.26, shade(green, 0.28));
  for (const spot of spots.slice(1)) disc(pen, spot, side * 0.09, shade(green, -0.25));
  const head = spots[0]!;
  const [first, second] = state.body;
  const direction = facing(first! - second!, level.columns);
  disc(pen, head, side * 0.42, shade(green, -0.5));
  disc(pen, head, side * 0.38, shade(green, 0.1));
  const [across, down] = direction;
  pen.strokeStyle = pieceColour(palette, 0);
  pen.lineWidth = Math.max(1.2, side * 0.07);
  pen.beginPath();
  pen.moveTo(head.x + across * side * 0.38, head.y + down * side * 0.38);
  pen.lineTo(head.x + across * side * 0.52, head.y + down * side * 0.52);
  pen.stroke();
  for (const hand of [-1, 1]) {
    const eye = {
      x: head.x + across * side * 0.1 - down * hand * side * 0.18,
      y: head.y + down * side * 0.1 + across * hand * side * 0.18,
    };
    disc(pen, eye, side * 0.13, '#ffffff');
    disc(pen, { x: eye.x + across * side * 0.05, y: eye.y + down * side * 0.05 }, side * 0.07, '#1b1f24');
  }
}

const facing = (step: number, columns: number): readonly [number, number] => {
  const arrow: Arrow =
    step === 1 ? 'ArrowRight' : step === -1 ? 'ArrowLeft' : step === columns ? 'ArrowDown' : 'ArrowUp';
  return ({ ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] } as const)[arrow];
};
