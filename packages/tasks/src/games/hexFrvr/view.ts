import { hexLattice } from './rules.js';
import { fillView } from '../filling/view.js';
import type { Spot } from '../game.js';
import { pieceColour, shade } from '../drawing/kit.js';

const rise = Math.sqrt(3) / 2;

/** Corner at the top; neighbouring centres are `side` px apart. */
function hexagon(pen: CanvasRenderingContext2D, { x, y }: Spot, side: number): void {
  const radius = side / Math.sqrt(3);
  pen.beginPath();
  for (let corner = 0; corner < 6; corner++) {
    const angle = (Math.PI / 3) * corner;
    pen.lineTo(x + radius * Math.sin(angle), y - radius * Math.cos(angle));
  }
  pen.closePath();
}

export const hexFrvrView = fillView({
  title: 'Hex',
  latticeOf: hexLattice,
  layout: { spotOf: ([q, r]) => ({ x: q + r / 2, y: r * rise }), reach: { x: 0.5, y: 1 / Math.sqrt(3) } },
  paintBoard(pen, { frame, side }, palette) {
    const [x, y] = [frame.x + frame.width / 2, frame.y + frame.height / 2];
    const radius = frame.width / 2 + side * 0.25;
    pen.fillStyle = palette.board;
    pen.strokeStyle = palette.board;
    pen.lineJoin = 'round';
    pen.lineWidth = side * 0.3;
    pen.beginPath();
    for (let corner = 0; corner < 6; corner++) {
      const angle = (Math.PI / 3) * corner;
      pen.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
    pen.closePath();
    pen.fill();
    pen.stroke();
  },
  paintHole(pen, centre, side, palette) {
    hexagon(pen, centre, side * 0.92);
    pen.fillStyle = palette.hole;
    pen.fill();
    pen.lineWidth = Math.max(0.7, side * 0.04);
    pen.strokeStyle = shade(palette.board, 0.16);
    pen.stroke();
  },
  paintBlock(pen, side, kind, palette) {
    const colour = pieceColour(palette, kind);
    hexagon(pen, { x: 0, y: side * 0.03 }, side * 0.95);
    pen.fillStyle = shade(colour, -0.35);
    pen.fill();
    hexagon(pen, { x: 0, y: -side * 0.02 }, side * 0.9);
    const light = pen.createLinearGradient(0, -side / 2, 0, side / 2);
    light.addColorStop(0, shade(colour, 0.35));
    light.addColorStop(1, colour);
    pen.fillStyle = light;
    pen.fill();
    hexagon(pen, { x: 0, y: 0 }, side * 0.6);
    pen.fillStyle = shade(colour, 0.08);
    pen.fill();
  },
});
