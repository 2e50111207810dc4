import type { Palette, Spot } from '../game.js';
import { pieceColour, shade, write } from '../drawing/kit.js';
import { drawSprite } from '../drawing/sprite.js';

type Outline = readonly (readonly [number, number])[];

/** `turn`: angle of the first corner from the top, as a share of a full turn. */
function polygon(corners: number, turn = 0, [wide, high]: readonly [number, number] = [1, 1]): Outline {
  return Array.from({ length: corners }, (_, corner) => {
    const angle = 2 * Math.PI * (corner / corners + turn);
    return [wide * Math.sin(angle), -high * Math.cos(angle)] as const;
  });
}

function star(points: number, inner: number): Outline {
  return polygon(2 * points).map(([x, y], corner) => (corner % 2 === 0 ? [x, y] : [x * inner, y * inner]));
}

const heart: Outline = [
  [0, -0.5], [0.3, -0.88], [0.7, -0.88], [0.98, -0.55], [0.98, -0.15], [0.6, 0.4], [0, 0.98],
  [-0.6, 0.4], [-0.98, -0.15], [-0.98, -0.55], [-0.7, -0.88], [-0.3, -0.88],
]; // prettier-ignore

const drop: Outline = [
  [0, -1], [0.34, -0.42], [0.68, 0.04], [0.78, 0.42], [0.6, 0.78], [0.25, 0.97],
  [-0.25, 0.97], [-0.6, 0.78], [-0.78, 0.42], [-0.68, 0.04], [-0.34, -0.42],
]; // prettier-ignore

const shield: Outline = [
  [-0.85, -0.8], [0, -0.95], [0.85, -0.8], [0.85, 0.1], [0.5, 0.65], [0, 0.98], [-0.5, 0.65], [-0.85, 0.1],
]; // prettier-ignore

/** By rank, within -1..1. */
const cuts: readonly Outline[] = [
  polygon(14, 0, [0.85, 0.85]),
  polygon(3, 0, [1.08, 1.08]).map(([x, y]) => [x, y + 0.24] as const),
  polygon(4, 0.125, [1.12, 1.12]),
  polygon(4, 0, [0.86, 1]),
  polygon(5, 0, [1, 1]).map(([x, y]) => [x, y + 0.06] as const),
  polygon(6, 0, [0.98, 0.98]),
  drop,
  polygon(8, 1 / 16, [1, 0.86]),
  heart,
  shield,
  star(8, 0.74),
];

/** `radius` in px. */
export function drawGem(pen: CanvasRenderingContext2D, at: Spot, radius: number, rank: number, palette: Palette): void {
  drawSprite(pen, `gem ${rank} ${radius}`, at, radius * 1.25, (brush) => paintGem(brush, radius, rank, palette));
}

function paintGem(pen: CanvasRenderingContext2D, radius: number, rank: number, palette: Palette): void {
  const cut = cuts[rank - 1];
  if (!cut) return;
  // The last three reuse colours of ranks with very different cuts.
  const colour = shade(pieceColour(palette, colours[rank - 1] ?? 0), rank > 8 ? 0.25 : 0);
  const corner = ([x, y]: readonly [number, number], scale = 1) => [x * radius * scale, y * radius * scale] as const;
  const trace = (scale: number) => {
    pen.beginPath();
    for (const point of cut) pen.lineTo(...corner(point, scale));
    pen.closePath();
  };
  pen.lineJoin = 'round';
  pen.globalAlpha = 0.28;
  pen.fillStyle = '#000000';
  pen.beginPath();
  pen.ellipse(0, radius * 0.86, radius * 0.72, radius * 0.22, 0, 0, 2 * Math.PI);
  pen.fill();
  pen.globalAlpha = 1;
  const inner = 0.6;
  for (const [index, vertex] of cut.entries()) {
    const nextVertex = cut[(index + 1) % cut.length] ?? vertex;
    // Lit from the upper left.
    const [across, down] = [nextVertex[0] - vertex[0], nextVertex[1] - vertex[1]];
    const light = (0.45 * -down + 0.9 * across) / Math.hypot(across, down);
    pen.fillStyle = pen.strokeStyle = shade(colour, 0.4 * light);
    pen.lineWidth = 0.7;
    pen.beginPath();
    pen.moveTo(...corner(vertex));
    pen.lineTo(...corner(nextVertex));
    pen.lineTo(...corner(nextVertex, inner));
    pen.lineTo(...corner(vertex, inner));
    pen.closePath();
    pen.fill();
    pen.stroke();
  }
  trace(inner);
  const table = pen.createLinearGradient(-radius, -radius, radius, radius);
  table.addColorStop(0.2, shade(colour, 0.18));
  table.addColorStop(0.8, shade(colour, -0.18));
  pen.fillStyle = table;
  pen.fill();
  trace(1);
  pen.lineWidth = Math.max(1, radius * 0.07);
  pen.strokeStyle = shade(colour, -0.45);
  pen.stroke();
  const size = Math.max(10, Math.round(radius * 0.8));
  const spot = { x: 0, y: radius * (middles[rank - 1] ?? 0) };
  pen.strokeStyle = shade(colour, -0.6);
  pen.lineWidth = Math.max(2, size * 0.2);
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.font = pen.font.replace(/^.*?[\d.]+px/, `700 ${size}px`);
  pen.strokeText(String(rank), Math.round(spot.x), Math.round(spot.y));
  write(pen, String(rank), spot, { size, colour: '#ffffff' });
}

/** Neighbouring ranks differ clearly. */
const colours = [7, 2, 1, 3, 0, 5, 4, 6, 0, 3, 1];

/** Visual centres below the middle, in radii. */
const middles = [0, 0.24, 0, 0, 0.06, 0, 0.25, 0, -0.12, -0.05, 0];
