import { darkBoard } from '../drawing/darkBoard.js';
import type { Palette, ScreenSize, Spot, View } from '../game.js';
import { type Grid, cellAt, drawEnd, drawGround, middleOf, pieceColour, shade } from '../drawing/kit.js';
import { drawPlate, gridOnPlate } from '../drawing/plate.js';
import { type Side, beside, placeName, sides, stepOf } from '../rules/sides.js';
import { type PathLevel, type PathMove, type PathState, freeWay, straightTo } from './rules.js';

const sideOfKey: Readonly<Record<string, Side>> = { ArrowUp: 1, ArrowRight: 2, ArrowDown: 4, ArrowLeft: 8 };
const keyOfSide: Readonly<Record<Side, string>> = { 1: 'ArrowUp', 2: 'ArrowRight', 4: 'ArrowDown', 8: 'ArrowLeft' };

export const mazePathOfLightView: View<PathLevel, PathState, PathMove> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change, drag, status } = scene;
    const grid = gridOnPlate(size, level);
    drawGround(pen, scene, 'path of light', [`lights ${status.score}/${level.lights.length}`]);
    drawBoard(pen, size, grid, level, palette);
    drawGoal(pen, middleOf(grid, level.goal), grid.side, status.score === level.lights.length, palette);
    const before = change?.before.trail ?? state.trail;
    const pulled = drag && placeOfDrag(drag.from, drag.to, state, level, size);
    const ahead = pulled === undefined ? [] : (straightTo(level, state.trail, pulled) ?? []);
    drawTrail(pen, grid, trailNow(grid, before, state.trail, change?.share ?? 1), ahead, palette);
    for (const light of level.lights) drawLight(pen, middleOf(grid, light), grid.side, state.trail.includes(light));
    drawEnd(pen, scene);
  },
  read(input, state, level, size) {
    if (input.type === 'key') {
      const side = sideOfKey[input.key];
      const next = side === undefined ? undefined : beside(level, state.trail.at(-1) ?? level.start, side);
      if (next === undefined) return undefined;
      // Keys extend the path or undo its last step.
      const isBack = next === state.trail.at(-2);
      return state.trail.includes(next) && !isBack ? undefined : next;
    }
    if (input.type === 'drag') return placeOfDrag(input.from, input.to, state, level, size);
    return cellAt(gridOnPlate(size, level), input.spot)?.index;
  },
  write(to, { trail }, level, size) {
    const grid = gridOnPlate(size, level);
    const head = trail.at(-1) ?? level.start;
    const step = sides.find((side) => beside(level, head, side) === to);
    if (step && !trail.includes(to)) return { type: 'key', key: keyOfSide[step] };
    if (trail.includes(to)) return { type: 'press', spot: middleOf(grid, to) };
    return { type: 'drag', from: middleOf(grid, head), to: middleOf(grid, to) };
  },
  say: (to, { trail }, level) =>
    trail.includes(to) ? `this way leads nowhere: back to ${placeName(level, to)}` : `on to ${placeName(level, to)}`,
};

/** Returns the cell that a drag leads to along its main direction, as far as walls allow. */
function placeOfDrag(
  from: Spot,
  to: Spot,
  { trail }: PathState,
  level: PathLevel,
  size: ScreenSize,
): number | undefined {
  const grid = gridOnPlate(size, level);
  if (cellAt(grid, from)?.index !== trail.at(-1)) return undefined;
  const [across, down] = [to.x - from.x, to.y - from.y];
  const side = Math.abs(across) > Math.abs(down) ? (across > 0 ? 2 : 8) : down > 0 ? 4 : 1;
  const cells = Math.round(Math.max(Math.abs(across), Math.abs(down)) / grid.side);
  if (cells === 0) return undefined;
  const line = freeWay(level, trail, side).slice(0, cells);
  const back = beside(level, trail.at(-1) ?? 0, side);
  return line.at(-1) ?? (back !== undefined && back === trail.at(-2) ? back : undefined);
}

/** Interpolates between two trails. */
function trailNow(grid: Grid, before: readonly number[], after: readonly number[], share: number): Spot[] {
  const [longer, shorter] = after.length > before.length ? [after, before] : [before, after];
  const length = before.length + (after.length - before.length) * share;
  const visiblePlaces = share < 1 ? longer.slice(0, Math.max(shorter.length, Math.floor(length))) : after;
  const spots = visiblePlaces.map((place) => middleOf(grid, place));
  const next = longer[visiblePlaces.length];
  const rest = length - visiblePlaces.length;
  const last = spots.at(-1);
  if (share < 1 && next !== undefined && rest > 0 && last) {
    const goal = middleOf(grid, next);
    spots.push({ x: last.x + (goal.x - last.x) * rest, y: last.y + (goal.y - last.y) * rest });
  }
  return spots;
}

function drawBoard(
  pen: CanvasRenderingContext2D,
  size: ScreenSize,
  grid: Grid,
  level: PathLevel,
  palette: Palette,
): void {
  const ground = darkBoard(palette);
  drawPlate(pen, size, grid, ground);
  for (let place = 0; place < grid.columns * grid.rows; place++) {
    const { x, y } = middleOf(grid, place);
    pen.fillStyle = shade(ground, 0.16);
    pen.beginPath();
    pen.arc(x, y, Math.max(1.5, grid.side * 0.05), 0, 2 * Math.PI);
    pen.fill();
  }
  pen.beginPath();
  for (const [place, open] of level.open.entries()) {
    const { x, y } = middleOf(grid, place);
    for (const side of sides) {
      if (open & side) continue;
      const [across, down] = stepOf(side);
      const [midX, midY] = [x + (across * grid.side) / 2, y + (down * grid.side) / 2];
      pen.moveTo(midX - (down * grid.side) / 2, midY - (across * grid.side) / 2);
      pen.lineTo(midX + (down * grid.side) / 2, midY + (across * grid.side) / 2);
    }
  }
  pen.lineCap = 'round';
  pen.lineWidth = Math.max(2.5, grid.side * 0.09);
  pen.strokeStyle = shade(ground, 0.5);
  pen.stroke();
}

function drawTrail(
  pen: CanvasRenderingContext2D,
  grid: Grid,
  spots: readonly Spot[],
  ahead: readonly number[],
  palette: Palette,
): void {
  const colour = pieceColour(palette, 1);
  pen.save();
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  const head = spots.at(-1);
  if (ahead.length > 0 && head) {
    pen.beginPath();
    pen.moveTo(head.x, head.y);
    for (const { x, y } of ahead.map((place) => middleOf(grid, place))) pen.lineTo(x, y);
    pen.lineWidth = grid.side * 0.16;
    pen.strokeStyle = 'rgba(255,240,190,0.45)';
    pen.stroke();
  }
  // Faint wide strokes instead of a shadow, which is slow.
  for (const [width, stroke, alpha] of [
    [0.66, colour, 0.12],
    [0.5, colour, 0.2],
    [0.34, shade(colour, -0.1), 0.85],
    [0.2, shade(colour, 0.35), 1],
    [0.07, '#fffbe8', 1],
  ] as const) {
    pen.beginPath();
    for (const { x, y } of spots) pen.lineTo(x, y);
    pen.globalAlpha = alpha;
    pen.lineWidth = width * grid.side;
    pen.strokeStyle = stroke;
    pen.stroke();
  }
  pen.globalAlpha = 1;
  if (spots[0]) drawDot(pen, spots[0], grid.side * 0.17, shade(colour, -0.45));
  if (head) {
    const glow = pen.createRadialGradient(head.x, head.y, 0, head.x, head.y, grid.side * 0.36);
    glow.addColorStop(0, '#ffffff');
    glow.addColorStop(0.45, '#fff3c0');
    glow.addColorStop(1, 'rgba(255,230,150,0)');
    pen.fillStyle = glow;
    pen.beginPath();
    pen.arc(head.x, head.y, grid.side * 0.36, 0, 2 * Math.PI);
    pen.fill();
    drawDot(pen, head, grid.side * 0.17, '#ffffff');
  }
  pen.restore();
}

function drawDot(pen: CanvasRenderingContext2D, { x, y }: Spot, radius: number, colour: string): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = colour;
  pen.fill();
}

function drawLight(pen: CanvasRenderingContext2D, { x, y }: Spot, side: number, isLit: boolean): void {
  if (isLit) {
    const glow = pen.createRadialGradient(x, y, 0, x, y, side * 0.5);
    glow.addColorStop(0, 'rgba(255,255,255,0.9)');
    glow.addColorStop(1, 'rgba(255,236,160,0)');
    pen.fillStyle = glow;
    pen.fillRect(x - side * 0.5, y - side * 0.5, side, side);
  }
  const [far, near] = [side * 0.32, side * 0.11];
  pen.beginPath();
  for (let ray = 0; ray < 8; ray++) {
    const reach = ray % 2 === 0 ? far : near;
    pen.lineTo(x + reach * Math.cos((ray * Math.PI) / 4), y + reach * Math.sin((ray * Math.PI) / 4));
  }
  pen.closePath();
  pen.lineJoin = 'round';
  pen.fillStyle = isLit ? '#ffffff' : '#59d3ff';
  pen.fill();
  pen.lineWidth = Math.max(1.25, side * 0.045);
  pen.strokeStyle = isLit ? '#ff9d00' : '#d5f4ff';
  pen.stroke();
}

function drawGoal(
  pen: CanvasRenderingContext2D,
  { x, y }: Spot,
  side: number,
  isOpen: boolean,
  palette: Palette,
): void {
  pen.save();
  pen.beginPath();
  pen.arc(x, y, side * 0.38, 0, 2 * Math.PI);
  pen.fillStyle = isOpen ? 'rgba(90,230,130,0.35)' : 'rgba(255,255,255,0.07)';
  pen.fill();
  pen.lineWidth = Math.max(1.5, side * 0.05);
  pen.strokeStyle = isOpen ? '#6df09a' : 'rgba(255,255,255,0.55)';
  if (!isOpen) pen.setLineDash([side * 0.12, side * 0.09]);
  pen.stroke();
  pen.setLineDash([]);
  pen.strokeStyle = '#ffffff';
  pen.lineCap = 'round';
  pen.beginPath();
  pen.moveTo(x - side * 0.1, y - side * 0.24);
  pen.lineTo(x - side * 0.1, y + side * 0.24);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x - side * 0.1, y - side * 0.24);
  pen.lineTo(x + side * 0.2, y - side * 0.12);
  pen.lineTo(x - side * 0.1, y + side * 0.01);
  pen.closePath();
  pen.fillStyle = palette.accent;
  pen.fill();
  pen.restore();
}
