import { woodLattice } from './rules.js';
import { fillView } from '../filling/view.js';
import { type Frame, panel, shade } from '../drawing/kit.js';

const woods = ['#e0b077', '#c97b4a', '#d39a4f', '#a5683c', '#e8c894'] as const;
const frameWood = '#7a4a28';

export const woodBlocks3dView = fillView({
  title: 'Wood blocks',
  latticeOf: woodLattice,
  layout: { spotOf: ([column, row]) => ({ x: column, y: row }), reach: { x: 0.5, y: 0.5 } },
  paintBoard(pen, { frame, side }) {
    const rim = Math.max(3, Math.round(side * 0.16));
    const { x, y, width, height } = frame;
    const outer = { x: x - rim, y: y - rim, width: width + 2 * rim, height: height + 2 * rim };
    panel(pen, { ...outer, y: outer.y + rim * 0.5 }, rim, shade(frameWood, -0.45));
    panel(pen, outer, rim, shade(frameWood, 0.12));
    grain(pen, outer, shade(frameWood, -0.12), 5);
    panel(pen, frame, 2, '#4c2c17');
  },
  paintHole(pen, centre, side) {
    const gap = Math.max(0.5, side * 0.03);
    const inner = side - 2 * gap;
    const frame = { x: centre.x - inner / 2, y: centre.y - inner / 2, width: inner, height: inner };
    panel(pen, frame, side * 0.1, '#5d3820');
    panel(pen, { ...frame, height: side * 0.12 }, side * 0.06, '#43270f');
    panel(pen, { ...frame, width: side * 0.08 }, side * 0.04, '#4a2c14');
  },
  paintBlock(pen, side, kind) {
    const colour = woods[kind % woods.length] ?? woods[0];
    paintCube(pen, side, colour, kind);
  },
});

/** Its top is lit from the upper left. */
function paintCube(pen: CanvasRenderingContext2D, side: number, colour: string, kind: number): void {
  const width = side * 0.96;
  const depth = side * 0.2;
  const minX = -width / 2;
  const top = -width / 2 - side * 0.04;
  const face = { x: minX, y: top, width, height: width - depth * 0.75 };
  const radius = side * 0.1;
  panel(pen, { x: minX, y: top + depth * 0.4, width, height: width - depth * 0.1 }, radius, shade(colour, -0.5));
  panel(pen, { x: minX, y: top + depth * 0.4, width, height: width - depth * 0.3 }, radius, shade(colour, -0.28));
  const light = pen.createLinearGradient(face.x, face.y, face.x + width, face.y + face.height);
  light.addColorStop(0, shade(colour, 0.24));
  light.addColorStop(1, shade(colour, -0.04));
  panel(pen, face, radius, light);
  grain(pen, face, shade(colour, -0.2), kind);
  pen.fillStyle = shade(colour, 0.5);
  pen.globalAlpha *= 0.7;
  pen.fillRect(face.x + radius, face.y + side * 0.02, width - 2 * radius, Math.max(0.7, side * 0.04));
  pen.globalAlpha /= 0.7;
}

function grain(pen: CanvasRenderingContext2D, { x, y, width, height }: Frame, colour: string, kind: number): void {
  pen.save();
  pen.beginPath();
  pen.rect(x + 1, y + 1, width - 2, height - 2);
  pen.clip();
  pen.strokeStyle = colour;
  pen.lineWidth = Math.max(0.6, Math.min(width, height) * 0.03);
  pen.globalAlpha *= 0.5;
  for (let line = 0; line < 4; line++) {
    const level = y + height * (0.16 + 0.23 * line + 0.04 * ((kind + line) % 3));
    const bend = height * 0.1 * (((kind + line) % 2) - 0.5);
    pen.beginPath();
    pen.moveTo(x, level);
    pen.quadraticCurveTo(x + width * (0.3 + 0.13 * ((kind * 7 + line) % 4)), level + 2 * bend, x + width, level);
    pen.stroke();
  }
  pen.restore();
}
