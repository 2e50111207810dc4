import { darkBoard } from '../drawing/darkBoard.js';
import type { Palette, ScreenSize, Spot, View } from '../game.js';
import { type Grid, cellAt, drawEnd, drawGround, middleOf, panel, pieceColour, shade } from '../drawing/kit.js';
import { connectedTiles, tracePipe } from '../rules/pipeNet.js';
import { drawPlate, gridOnPlate } from '../drawing/plate.js';
import { placeName, sides } from '../rules/sides.js';
import type { EnergyLevel, EnergyMove, EnergyState } from './rules.js';

export const energyView: View<EnergyLevel, EnergyState, EnergyMove> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change, status } = scene;
    const { tiles } = state;
    const { lamps, source } = level;
    const grid = gridOnPlate(size, level);
    drawGround(pen, scene, 'energy', [`lamps ${status.score}/${lamps.length}`]);
    drawBoard(pen, size, grid, palette);
    const fed = new Set(connectedTiles(level, tiles, source));
    const dead = shade(darkBoard(palette), 0.38);
    const turning = change && { place: change.move, angle: ((change.share - 1) * Math.PI) / 2 };
    const places = [...tiles.keys()];
    drawWires(
      pen,
      grid,
      tiles,
      places.filter((place) => !fed.has(place)),
      turning,
      [
        [0.15, dead],
        [0.055, shade(dead, 0.25)],
      ],
    );
    drawWires(
      pen,
      grid,
      tiles,
      places.filter((place) => fed.has(place)),
      turning,
      [
        [0.5, 'rgba(255,201,40,0.1)'],
        [0.36, 'rgba(255,201,40,0.16)'],
        [0.24, 'rgba(255,201,40,0.28)'],
        [0.15, '#ffc928'],
        [0.055, '#fff6c8'],
      ],
    );
    for (const lamp of lamps) drawLamp(pen, middleOf(grid, lamp), grid.side, fed.has(lamp), palette);
    drawSource(pen, middleOf(grid, source), grid.side, palette);
    drawEnd(pen, scene);
  },
  read: (input, _, level, size) =>
    input.type === 'press' ? cellAt(gridOnPlate(size, level), input.spot)?.index : undefined,
  write: (place, _, level, size) => ({ type: 'press', spot: middleOf(gridOnPlate(size, level), place) }),
  say: (place, _, level) => {
    const subject = place === level.source ? 'the source' : level.lamps.includes(place) ? 'the lamp' : 'the wire';
    return `${subject} in ${placeName(level, place)} breaks the way of the current: turn it`;
  },
};

function drawBoard(pen: CanvasRenderingContext2D, size: ScreenSize, grid: Grid, palette: Palette): void {
  const ground = darkBoard(palette);
  drawPlate(pen, size, grid, ground);
  for (let place = 0; place < grid.columns * grid.rows; place++) {
    const { x, y } = middleOf(grid, place);
    const half = grid.side / 2 - Math.max(0.75, grid.side * 0.02);
    panel(pen, { x: x - half, y: y - half, width: 2 * half, height: 2 * half }, grid.side * 0.12, shade(ground, 0.08));
  }
}

/** Strokes wires several times; widths are shares of a cell. */
function drawWires(
  pen: CanvasRenderingContext2D,
  grid: Grid,
  tiles: readonly number[],
  places: readonly number[],
  turning: { readonly place: number; readonly angle: number } | undefined,
  lines: readonly (readonly [width: number, colour: string])[],
): void {
  pen.lineCap = 'round';
  for (const [width, colour] of lines) {
    // One path, so that the glow does not add up at joints.
    pen.beginPath();
    for (const place of places) {
      const ends = tiles[place] ?? 0;
      const { x, y } = middleOf(grid, place);
      pen.save();
      pen.translate(x, y);
      if (turning?.place === place) pen.rotate(turning.angle);
      tracePipe(pen, ends, 0, 0, grid.side * 0.94);
      pen.restore();
    }
    pen.lineWidth = width * grid.side;
    pen.strokeStyle = colour;
    pen.stroke();
  }
  const [, colour] = lines.at(-2) ?? [0, '#000000'];
  pen.fillStyle = colour;
  for (const place of places) {
    if (sides.filter((side) => (tiles[place] ?? 0) & side).length < 3) continue;
    const { x, y } = middleOf(grid, place);
    pen.beginPath();
    pen.arc(x, y, grid.side * 0.125, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawLamp(pen: CanvasRenderingContext2D, { x, y }: Spot, side: number, isLit: boolean, palette: Palette): void {
  const radius = side * 0.25;
  if (isLit) {
    const glow = pen.createRadialGradient(x, y, radius * 0.5, x, y, radius * 2.1);
    glow.addColorStop(0, 'rgba(255,226,120,0.85)');
    glow.addColorStop(1, 'rgba(255,226,120,0)');
    pen.fillStyle = glow;
    pen.beginPath();
    pen.arc(x, y, radius * 2.1, 0, 2 * Math.PI);
    pen.fill();
  }
  const glass = pen.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius);
  const ground = darkBoard(palette);
  glass.addColorStop(0, isLit ? '#ffffff' : shade(ground, 0.55));
  glass.addColorStop(1, isLit ? '#ffd54a' : shade(ground, 0.22));
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = glass;
  pen.fill();
  pen.lineWidth = Math.max(1.5, side * 0.045);
  pen.strokeStyle = isLit ? '#fff3c0' : '#c9d2e3';
  pen.stroke();
  pen.beginPath();
  for (const [index, height] of [0.3, -0.3, 0.15, -0.3, 0.3].entries()) {
    pen.lineTo(x + radius * (index - 2) * 0.24, y + radius * height);
  }
  pen.lineWidth = Math.max(1, side * 0.035);
  pen.lineJoin = 'round';
  pen.strokeStyle = isLit ? '#c05a00' : '#e9eef8';
  pen.stroke();
}

function drawSource(pen: CanvasRenderingContext2D, { x, y }: Spot, side: number, palette: Palette): void {
  const half = side * 0.3;
  const colour = pieceColour(palette, 3);
  panel(
    pen,
    { x: x - half, y: y - half + side * 0.03, width: 2 * half, height: 2 * half },
    half * 0.4,
    shade(colour, -0.45),
  );
  panel(pen, { x: x - half, y: y - half, width: 2 * half, height: 2 * half - side * 0.03 }, half * 0.4, colour);
  pen.beginPath();
  for (const [right, down] of [
    [0.15, -0.75],
    [-0.5, 0.12],
    [-0.05, 0.12],
    [-0.15, 0.75],
    [0.5, -0.15],
    [0.05, -0.15],
  ] as const) {
    pen.lineTo(x + right * half, y + down * half);
  }
  pen.closePath();
  pen.fillStyle = '#fff3b0';
  pen.fill();
}
