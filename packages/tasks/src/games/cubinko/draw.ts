import type { Palette, Spot } from '../game.js';
import { pieceColour, shade } from '../drawing/kit.js';

/** x right, y towards the front, z up; a tile has width 1. */
export type Vector = readonly [x: number, y: number, z: number];

/** Px right and down per unit of x, y and z. */
export interface Projection {
  readonly origin: Spot;
  readonly unit: number;
}

const rightward = { x: 0.94, y: 0.2 } as const;
const frontward = { x: -0.36, y: 0.64 } as const;
const rise = 0.8;

const toEye: Vector = [0.36, 0.94, (0.2 * 0.36 + 0.64 * 0.94) / rise];

const project = ({ origin, unit }: Projection, [x, y, z]: Vector): Spot => ({
  x: origin.x + unit * (rightward.x * x + frontward.x * y),
  y: origin.y + unit * (rightward.y * x + frontward.y * y - rise * z),
});

/** Returns the ground point (z = 0) at a spot. */
export function groundAt({ origin, unit }: Projection, spot: Spot): { x: number; y: number } {
  const [across, down] = [(spot.x - origin.x) / unit, (spot.y - origin.y) / unit];
  const whole = rightward.x * frontward.y - rightward.y * frontward.x;
  return {
    x: (across * frontward.y - down * frontward.x) / whole,
    y: (down * rightward.x - across * rightward.y) / whole,
  };
}

/** Centres a grid in a frame, with room for the cube. */
export function projectionFor(
  frame: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  columns: number,
  rows: number,
): Projection {
  const wide = columns * rightward.x - rows * frontward.x;
  const high = columns * rightward.y + rows * frontward.y + rise + 0.15;
  const unit = Math.min(frame.width / wide, frame.height / high);
  return {
    origin: {
      x: frame.x + (frame.width - wide * unit) / 2 - rows * frontward.x * unit,
      y: frame.y + (frame.height - high * unit) / 2 + rise * unit,
    },
    unit,
  };
}

export function trace(pen: CanvasRenderingContext2D, projection: Projection, corners: readonly Vector[]): void {
  pen.beginPath();
  for (const corner of corners) {
    const { x, y } = project(projection, corner);
    pen.lineTo(x, y);
  }
  pen.closePath();
}

/** Draws a mark with fourfold symmetry around 0 in a unit square. */
export function drawMark(pen: CanvasRenderingContext2D, colour: number, paint: string): void {
  pen.fillStyle = pen.strokeStyle = paint;
  pen.lineWidth = 0.12;
  pen.lineCap = 'round';
  pen.beginPath();
  switch (colour) {
    case 0:
      pen.arc(0, 0, 0.23, 0, 2 * Math.PI);
      return pen.fill();
    case 1:
      pen.arc(0, 0, 0.24, 0, 2 * Math.PI);
      return pen.stroke();
    case 2:
      for (const [x, y] of [[0.28, 0], [0, 0.28]] as const) {
        pen.moveTo(-x, -y);
        pen.lineTo(x, y);
      } // prettier-ignore
      return pen.stroke();
    case 3:
      for (const y of [0.22, -0.22]) {
        pen.moveTo(-0.22, -y);
        pen.lineTo(0.22, y);
      }
      return pen.stroke();
    case 4:
      pen.rect(-0.21, -0.21, 0.42, 0.42);
      return pen.fill();
    default:
      for (const x of [-0.19, 0.19]) {
        for (const y of [-0.19, 0.19]) {
          pen.moveTo(x, y);
          pen.arc(x, y, 0.1, 0, 2 * Math.PI);
        }
      }
      return pen.fill();
  }
}

export function drawMarkIn(
  pen: CanvasRenderingContext2D,
  projection: Projection,
  { middle, across, down }: { readonly middle: Vector; readonly across: Vector; readonly down: Vector },
  colour: number,
  paint: string,
): void {
  const centre = project(projection, middle);
  const end = (side: Vector) => {
    const { x, y } = project(projection, [middle[0] + side[0], middle[1] + side[1], middle[2] + side[2]]);
    return [x - centre.x, y - centre.y] as const;
  };
  pen.save();
  pen.transform(...end(across), ...end(down), centre.x, centre.y);
  drawMark(pen, colour, paint);
  pen.restore();
}

/** Outward direction and axes of each side, in the order of `sides`. */
const cubeSides: readonly { readonly out: Vector; readonly across: Vector; readonly down: Vector }[] = [
  { out: [0, 0, -1], across: [1, 0, 0], down: [0, 1, 0] },
  { out: [0, -1, 0], across: [1, 0, 0], down: [0, 0, 1] },
  { out: [1, 0, 0], across: [0, 1, 0], down: [0, 0, 1] },
  { out: [0, 1, 0], across: [1, 0, 0], down: [0, 0, 1] },
  { out: [-1, 0, 0], across: [0, 1, 0], down: [0, 0, 1] },
  { out: [0, 0, 1], across: [1, 0, 0], down: [0, 1, 0] },
];

/** Draws a unit cube, resting or rolling: `lean` is the share (0..1) of a roll towards `toward`. */
export function drawCube(
  pen: CanvasRenderingContext2D,
  projection: Projection,
  cube: {
    readonly column: number;
    readonly row: number;
    readonly faces: readonly number[];
    readonly toward?: { readonly across: number; readonly down: number };
    readonly lean?: number;
  },
  palette: Palette,
): void {
  const { column, row, faces, toward = { across: 0, down: 0 }, lean = 0 } = cube;
  const angle = (Math.PI / 2) * lean;
  const turn = ([x, y, z]: Vector): Vector => {
    const along = x * toward.across + y * toward.down;
    const [ahead, up] = [along * Math.cos(angle) + z * Math.sin(angle), z * Math.cos(angle) - along * Math.sin(angle)];
    return [x + (ahead - along) * toward.across, y + (ahead - along) * toward.down, up];
  };
  const pivot: Vector = [0.5 * toward.across, 0.5 * toward.down, -0.5];
  const [px, py, pz] = turn([-pivot[0], -pivot[1], -pivot[2]]);
  const middle: Vector = [column + 0.5 + pivot[0] + px, row + 0.5 + pivot[1] + py, 0.5 + pivot[2] + pz];
  const half = 0.46;
  const pointAlong = (direction: Vector, scale: number, from: Vector): Vector => {
    const [x, y, z] = turn(direction);
    return [from[0] + scale * x, from[1] + scale * y, from[2] + scale * z];
  };
  for (const [side, { out, across, down }] of cubeSides.entries()) {
    const normal = turn(out);
    if (normal[0] * toEye[0] + normal[1] * toEye[1] + normal[2] * toEye[2] <= 0.001) continue;
    const colour = faces[side] ?? 0;
    const centre = pointAlong(out, half, middle);
    const corner = (one: number, other: number) =>
      pointAlong(down, other * half, pointAlong(across, one * half, centre));
    const light = 0.2 * normal[2] - 0.04 * normal[1] - 0.24 * normal[0];
    const paint = shade(pieceColour(palette, colour), light);
    trace(pen, projection, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]);
    pen.fillStyle = paint;
    pen.fill();
    pen.lineJoin = 'round';
    pen.lineWidth = Math.max(1, projection.unit * 0.05);
    pen.strokeStyle = shade(paint, -0.4);
    pen.stroke();
    const place = {
      middle: centre,
      across: pointAlong(across, 2 * half, [0, 0, 0]),
      down: pointAlong(down, 2 * half, [0, 0, 0]),
    };
    drawMarkIn(pen, projection, place, colour, '#ffffff');
  }
}
