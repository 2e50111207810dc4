import { darkBoard } from '../drawing/darkBoard.js';
import type { Palette, ScreenSize, Spot, View } from '../game.js';
import { type Grid, cellAt, drawEnd, drawGround, middleOf, panel, pieceColour, shade } from '../drawing/kit.js';
import { drawPlate, gridOnPlate } from '../drawing/plate.js';
import { type Side, placeName, stepOf } from '../rules/sides.js';
import { type Ray, beamOf } from './beam.js';
import type { Face, LaserLevel, Mirror } from './level.js';
import { type LaserMove, type LaserState, litCrystals, nextFace } from './rules.js';

export const laserMazeView: View<LaserLevel, LaserState, LaserMove> = {
  animationMs: 90,
  draw(pen, scene) {
    const { size, palette, level, state, change, status } = scene;
    const grid = gridOnPlate(size, level);
    drawGround(pen, scene, 'laser maze', [`crystals ${status.score}/${level.crystals.length}`]);
    drawBoard(pen, size, grid, level, palette);
    drawBeam(pen, grid, beamOf(level, state.faces));
    const lit = new Set(litCrystals(level, state.faces));
    for (const crystal of level.crystals) {
      drawCrystal(pen, middleOf(grid, crystal), grid.side, lit.has(crystal), pieceColour(palette, 5));
    }
    for (const [index, mirror] of level.mirrors.entries()) {
      const face = state.faces[index] ?? 0;
      const before = change?.move === index ? (change.before.faces[index] ?? 0) : face;
      drawMirror(pen, middleOf(grid, mirror.place), grid.side, mirror, face, before, change?.share ?? 1);
    }
    drawLaser(pen, middleOf(grid, level.laser.place), grid.side, level.laser.side, palette);
    drawEnd(pen, scene);
  },
  read(input, _, level, size) {
    if (input.type !== 'press') return undefined;
    const place = cellAt(gridOnPlate(size, level), input.spot)?.index;
    const index = level.mirrors.findIndex((mirror) => mirror.place === place);
    return index < 0 ? undefined : index;
  },
  write: (index, _, level, size) => ({
    type: 'press',
    spot: middleOf(gridOnPlate(size, level), level.mirrors[index]?.place ?? 0),
  }),
  say(index, { faces }, level) {
    const mirror = level.mirrors[index] ?? { place: 0, kind: 'mirror' as const };
    const next = nextFace(mirror, faces[index] ?? 0);
    const where = placeName(level, mirror.place);
    if (faces[index] === 0) return `the beam must turn in ${where}: set a mirror`;
    return next === 0 ? `the beam must pass ${where}: take the mirror away` : `turn the ${mirror.kind} in ${where}`;
  },
};

function drawBoard(
  pen: CanvasRenderingContext2D,
  size: ScreenSize,
  grid: Grid,
  level: LaserLevel,
  palette: Palette,
): void {
  const ground = darkBoard(palette);
  drawPlate(pen, size, grid, ground);
  const gap = Math.max(0.75, grid.side * 0.025);
  for (let place = 0; place < grid.columns * grid.rows; place++) {
    const { x, y } = middleOf(grid, place);
    const half = grid.side / 2 - gap;
    const cell = { x: x - half, y: y - half, width: 2 * half, height: 2 * half };
    if (level.walls.includes(place)) {
      panel(pen, cell, grid.side * 0.14, shade(ground, 0.2));
      panel(pen, { ...cell, height: cell.height * 0.88 }, grid.side * 0.14, shade(ground, 0.42));
      const inner = half * 0.55;
      panel(
        pen,
        { x: x - inner, y: y - inner - half * 0.1, width: 2 * inner, height: 2 * inner },
        half * 0.2,
        shade(ground, 0.34),
      );
    } else {
      panel(pen, cell, grid.side * 0.1, shade(ground, 0.07));
    }
  }
}

function drawBeam(pen: CanvasRenderingContext2D, grid: Grid, rays: readonly Ray[]): void {
  pen.save();
  pen.lineCap = 'round';
  for (const [width, colour] of [
    [0.34, 'rgba(255,45,85,0.16)'],
    [0.2, 'rgba(255,45,85,0.3)'],
    [0.1, '#ff3b60'],
    [0.035, '#ffe3e8'],
  ] as const) {
    // One path, so that the glow does not add up at joints.
    pen.beginPath();
    for (const { from, side, to } of rays) {
      const start = middleOf(grid, from);
      const [across, down] = stepOf(side);
      const reach = (to === undefined ? 0.5 : 1) * grid.side;
      pen.moveTo(start.x, start.y);
      pen.lineTo(start.x + across * reach, start.y + down * reach);
    }
    pen.lineWidth = Math.max(1, width * grid.side);
    pen.strokeStyle = colour;
    pen.stroke();
  }
  pen.restore();
}

function drawCrystal(
  pen: CanvasRenderingContext2D,
  { x, y }: Spot,
  side: number,
  isLit: boolean,
  colour: string,
): void {
  const [across, down] = [side * 0.24, side * 0.33];
  if (isLit) {
    const glow = pen.createRadialGradient(x, y, side * 0.1, x, y, side * 0.62);
    glow.addColorStop(0, 'rgba(255,255,255,0.9)');
    glow.addColorStop(0.4, 'rgba(160,255,236,0.45)');
    glow.addColorStop(1, 'rgba(160,255,236,0)');
    pen.fillStyle = glow;
    pen.fillRect(x - side * 0.62, y - side * 0.62, side * 1.24, side * 1.24);
  }
  const facets: readonly [number, number, number, number, number][] = [
    [-across, 0, 0, -down, isLit ? 0.75 : -0.15],
    [0, -down, across, 0, isLit ? 0.5 : -0.35],
    [across, 0, 0, down, isLit ? 0.15 : -0.6],
    [0, down, -across, 0, isLit ? 0.35 : -0.45],
  ];
  for (const [fromX, fromY, toX, toY, tint] of facets) {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + fromX, y + fromY);
    pen.lineTo(x + toX, y + toY);
    pen.closePath();
    pen.fillStyle = shade(colour, tint);
    pen.fill();
  }
  pen.beginPath();
  pen.moveTo(x, y - down);
  pen.lineTo(x + across, y);
  pen.lineTo(x, y + down);
  pen.lineTo(x - across, y);
  pen.closePath();
  pen.lineJoin = 'round';
  pen.lineWidth = Math.max(1.25, side * 0.04);
  pen.strokeStyle = isLit ? '#ffffff' : shade(colour, 0.25);
  pen.stroke();
}

function drawMirror(
  pen: CanvasRenderingContext2D,
  { x, y }: Spot,
  side: number,
  { kind }: Mirror,
  face: Face,
  before: Face,
  share: number,
): void {
  pen.save();
  pen.translate(x, y);
  pen.lineWidth = Math.max(1, side * 0.035);
  if (kind === 'socket') {
    pen.strokeStyle = 'rgba(255,255,255,0.5)';
    pen.setLineDash([side * 0.09, side * 0.07]);
    pen.beginPath();
    pen.arc(0, 0, side * 0.36, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
  } else {
    pen.fillStyle = 'rgba(255,255,255,0.09)';
    pen.beginPath();
    pen.arc(0, 0, side * 0.4, 0, 2 * Math.PI);
    pen.fill();
  }
  if (face > 0) {
    const angle = (which: Face) => (which === 1 ? -Math.PI / 4 : Math.PI / 4);
    pen.rotate(before > 0 ? angle(before) + (angle(face) - angle(before)) * share : angle(face));
    const half = side * 0.4 * (before > 0 ? 1 : 0.4 + 0.6 * share);
    const thick = side * 0.085;
    pen.shadowColor = 'rgba(0,0,0,0.5)';
    pen.shadowBlur = side * 0.08;
    const glass = pen.createLinearGradient(0, -thick, 0, thick);
    glass.addColorStop(0, '#ffffff');
    glass.addColorStop(0.5, kind === 'splitter' ? '#ffd97a' : '#cfe4f5');
    glass.addColorStop(1, kind === 'splitter' ? '#a3701a' : '#6f8fa8');
    pen.globalAlpha = kind === 'splitter' ? 0.92 : 1;
    panel(pen, { x: -half, y: -thick, width: 2 * half, height: 2 * thick }, thick, glass);
    pen.shadowBlur = 0;
    if (kind === 'splitter') {
      // Gaps let half of the light through.
      pen.fillStyle = '#5a3c08';
      for (const gap of [-0.5, 0, 0.5]) pen.fillRect(gap * half - side * 0.025, -thick, side * 0.05, 2 * thick);
    }
  }
  pen.restore();
}

function drawLaser(
  pen: CanvasRenderingContext2D,
  { x, y }: Spot,
  side: number,
  direction: Side,
  palette: Palette,
): void {
  pen.save();
  pen.translate(x, y);
  pen.rotate({ 1: -Math.PI / 2, 2: 0, 4: Math.PI / 2, 8: Math.PI }[direction]);
  const half = side * 0.36;
  panel(pen, { x: half * 0.6, y: -half * 0.45, width: half * 0.75, height: half * 0.9 }, half * 0.15, '#cfd6e2');
  panel(pen, { x: -half, y: -half, width: 2 * half * 0.9, height: 2 * half }, half * 0.35, shade(palette.accent, -0.3));
  panel(pen, { x: -half, y: -half, width: 2 * half * 0.9, height: 1.75 * half }, half * 0.35, palette.accent);
  pen.fillStyle = '#ffffff';
  pen.beginPath();
  pen.moveTo(-half * 0.45, -half * 0.5);
  pen.lineTo(half * 0.35, 0);
  pen.lineTo(-half * 0.45, half * 0.5);
  pen.closePath();
  pen.fill();
  pen.restore();
}
