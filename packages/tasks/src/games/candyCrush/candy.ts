import type { Palette, Spot } from '../game.js';
import { pieceColour, shade } from '../drawing/kit.js';
import { drawSprite } from '../drawing/sprite.js';

function trace(pen: CanvasRenderingContext2D, { x, y }: Spot, radius: number, kind: number): void {
  pen.beginPath();
  switch (kind) {
    case 1:
      pen.arc(x, y, radius * 0.92, 0, 2 * Math.PI);
      break;
    case 2:
      pen.roundRect(x - radius * 0.82, y - radius * 0.82, radius * 1.64, radius * 1.64, radius * 0.42);
      break;
    case 3:
      pen.ellipse(x, y, radius * 1.05, radius * 0.66, -Math.PI / 4, 0, 2 * Math.PI);
      break;
    case 4:
      pen.moveTo(x, y - radius * 1.02);
      pen.bezierCurveTo(
        x + radius * 0.5,
        y - radius * 0.35,
        x + radius * 0.85,
        y,
        x + radius * 0.85,
        y + radius * 0.28,
      );
      pen.bezierCurveTo(
        x + radius * 0.85,
        y + radius * 1.2,
        x - radius * 0.85,
        y + radius * 1.2,
        x - radius * 0.85,
        y + radius * 0.28,
      );
      pen.bezierCurveTo(x - radius * 0.85, y, x - radius * 0.5, y - radius * 0.35, x, y - radius * 1.02);
      break;
    case 5:
      for (let corner = 0; corner < 10; corner++) {
        const reach = radius * (corner % 2 === 0 ? 1.08 : 0.58);
        const angle = (Math.PI / 5) * corner;
        pen.lineTo(x + reach * Math.sin(angle), y + radius * 0.05 - reach * Math.cos(angle));
      }
      break;
    default:
      for (let corner = 0; corner < 6; corner++) {
        const angle = (Math.PI / 3) * corner;
        pen.lineTo(x + radius * Math.sin(angle), y - radius * Math.cos(angle));
      }
  }
  pen.closePath();
}

export function drawCandy(
  pen: CanvasRenderingContext2D,
  centre: Spot,
  radius: number,
  kind: number,
  palette: Palette,
): void {
  if (kind < 1 || radius < 1) return;
  drawSprite(pen, `candy ${kind} ${radius}`, centre, radius * 1.2, (brush) => paintCandy(brush, radius, kind, palette));
}

function paintCandy(pen: CanvasRenderingContext2D, radius: number, kind: number, palette: Palette): void {
  const colour = pieceColour(palette, kind - 1);
  pen.lineJoin = 'round';
  trace(pen, { x: 0, y: radius * 0.1 }, radius, kind);
  pen.fillStyle = shade(colour, -0.45);
  pen.fill();
  trace(pen, { x: 0, y: 0 }, radius * 0.96, kind);
  const body = pen.createRadialGradient(-radius * 0.3, -radius * 0.4, radius * 0.1, 0, 0, radius * 1.1);
  body.addColorStop(0, shade(colour, 0.4));
  body.addColorStop(0.6, colour);
  body.addColorStop(1, shade(colour, -0.22));
  pen.fillStyle = body;
  pen.fill();
  pen.save();
  pen.clip();
  pen.strokeStyle = '#ffffff';
  pen.globalAlpha = 0.5;
  pen.lineWidth = radius * 0.17;
  pen.beginPath();
  if (kind === 1) {
    for (let step = 0; step <= 20; step++) {
      const angle = step * 0.55;
      const reach = (radius * 0.72 * step) / 20;
      pen.lineTo(reach * Math.cos(angle), reach * Math.sin(angle));
    }
  } else if (kind === 2) {
    for (const shift of [-0.8, 0, 0.8]) {
      pen.moveTo((shift - 0.6) * radius, 0.9 * radius);
      pen.lineTo((shift + 0.6) * radius, -0.9 * radius);
    }
  } else if (kind === 5) {
    pen.arc(0, radius * 0.05, radius * 0.36, 0, 2 * Math.PI);
  } else if (kind === 6) {
    pen.rect(-radius * 0.32, -radius * 0.32, radius * 0.64, radius * 0.64);
  }
  pen.stroke();
  pen.restore();
  pen.globalAlpha = 0.65;
  pen.fillStyle = '#ffffff';
  pen.beginPath();
  pen.ellipse(-radius * 0.26, -radius * 0.36, radius * 0.24, radius * 0.12, -0.6, 0, 2 * Math.PI);
  pen.fill();
  pen.globalAlpha = 1;
}
