import type { Palette, ScreenSize, Spot, View } from '../game.js';
import {
  type Grid,
  boardFrame,
  cellAt,
  drawEnd,
  drawGround,
  gridIn,
  middleOf,
  panel,
  pieceColour,
  shade,
} from '../drawing/kit.js';
import { placeName } from '../rules/sides.js';
import { type YarnLevel, type YarnMove, type YarnState, crossings } from './rules.js';
import { touches } from './touch.js';

const gridOf = (size: ScreenSize, { columns, rows }: YarnLevel): Grid => gridIn(boardFrame(size), columns, rows);

export const yarnUntangleView: View<YarnLevel, YarnState, YarnMove> = {
  draw(pen, scene) {
    const { size, palette, level, state, drag, status } = scene;
    const grid = gridOf(size, level);
    const crossingCount = crossings(level, state.pins);
    drawGround(pen, scene, 'yarn', [`crossings ${crossingCount}`]);
    drawBoard(pen, grid, palette);
    const draggedPin = drag && pinAt(grid, state, drag.from);
    const spots = state.pins.map((hole, pin) =>
      pin === draggedPin && drag ? inside(grid, drag.to) : middleOf(grid, hole),
    );
    for (const [index, [one, other]] of level.threads.entries()) {
      drawThread(pen, spots[one]!, spots[other]!, grid.side, pieceColour(palette, index));
    }
    for (const [pin, spot] of spots.entries()) drawPin(pen, spot, grid.side * (pin === draggedPin ? 1.15 : 1), palette);
    // Threads may cross pins.
    if (!status.won) for (const { spot } of touches(level.threads, spots)) drawCrossing(pen, spot, grid.side);
    drawEnd(pen, scene);
  },
  read(input, state, level, size) {
    if (input.type !== 'drag') return undefined;
    const grid = gridOf(size, level);
    const pin = pinAt(grid, state, input.from);
    const to = cellAt(grid, input.to)?.index;
    return pin === undefined || to === undefined ? undefined : { pin, to };
  },
  write({ pin, to }, { pins }, level, size) {
    const grid = gridOf(size, level);
    return { type: 'drag', from: middleOf(grid, pins[pin] ?? 0), to: middleOf(grid, to) };
  },
  say({ pin, to }, { pins }, level) {
    const crossingCount = crossings(level, pins.with(pin, to));
    return `put the pin in ${placeName(level, pins[pin] ?? 0)} into ${placeName(level, to)}: ${crossingCount} crossings are left`;
  },
};

function pinAt(grid: Grid, { pins }: YarnState, spot: Spot): number | undefined {
  const hole = cellAt(grid, spot)?.index;
  const pin = hole === undefined ? -1 : pins.indexOf(hole);
  return pin < 0 ? undefined : pin;
}

const inside = ({ x, y, width, height }: Grid, spot: Spot): Spot => ({
  x: Math.max(x, Math.min(x + width, spot.x)),
  y: Math.max(y, Math.min(y + height, spot.y)),
});

function drawBoard(pen: CanvasRenderingContext2D, grid: Grid, palette: Palette): void {
  panel(pen, { ...grid, y: grid.y + 2 }, grid.side * 0.3, shade(palette.board, -0.3));
  panel(pen, grid, grid.side * 0.3, palette.board);
  const radius = Math.max(1.5, grid.side * 0.07);
  for (let hole = 0; hole < grid.columns * grid.rows; hole++) {
    const { x, y } = middleOf(grid, hole);
    for (const [down, colour] of [
      [radius * 0.35, shade(palette.board, 0.3)],
      [0, shade(palette.board, -0.4)],
    ] as const) {
      pen.beginPath();
      pen.arc(x, y + down, radius, 0, 2 * Math.PI);
      pen.fillStyle = colour;
      pen.fill();
    }
  }
}

function drawThread(pen: CanvasRenderingContext2D, from: Spot, to: Spot, side: number, colour: string): void {
  const width = Math.max(3, side * 0.12);
  pen.save();
  pen.lineCap = 'round';
  const line = (thickness: number, stroke: string, dash: number[]) => {
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.setLineDash(dash);
    pen.lineWidth = thickness;
    pen.strokeStyle = stroke;
    pen.stroke();
  };
  line(width + Math.max(1.5, side * 0.05), shade(colour, -0.55), []);
  line(width, colour, []);
  pen.lineCap = 'butt';
  line(width * 0.55, shade(colour, 0.4), [width * 0.7, width * 0.9]);
  pen.restore();
}

function drawCrossing(pen: CanvasRenderingContext2D, { x, y }: Spot, side: number): void {
  const radius = Math.max(3.5, side * 0.12);
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = '#1d1d24';
  pen.fill();
  pen.beginPath();
  const arm = radius * 0.5;
  for (const sign of [-1, 1]) {
    pen.moveTo(x - arm, y - sign * arm);
    pen.lineTo(x + arm, y + sign * arm);
  }
  pen.lineWidth = Math.max(1.25, radius * 0.3);
  pen.lineCap = 'round';
  pen.strokeStyle = '#ffffff';
  pen.stroke();
}

function drawPin(pen: CanvasRenderingContext2D, { x, y }: Spot, side: number, palette: Palette): void {
  const radius = side * 0.26;
  pen.save();
  pen.shadowColor = 'rgba(0,0,0,0.45)';
  pen.shadowBlur = radius * 0.5;
  pen.shadowOffsetY = radius * 0.25;
  const ball = pen.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius);
  ball.addColorStop(0, '#ffffff');
  ball.addColorStop(0.3, shade(palette.accent, 0.25));
  ball.addColorStop(1, shade(palette.accent, -0.25));
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = ball;
  pen.fill();
  pen.restore();
  pen.lineWidth = Math.max(1, side * 0.035);
  pen.strokeStyle = shade(palette.accent, -0.5);
  pen.stroke();
}
