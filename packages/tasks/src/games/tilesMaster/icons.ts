import type { Spot } from '../game.js';

type Pen = CanvasRenderingContext2D;

/** Drawn around 0 within -1..1. */
const icons: readonly { readonly name: string; readonly draw: (pen: Pen) => void }[] = [
  { name: 'cherries', draw: drawCherries },
  { name: 'suns', draw: drawSun },
  { name: 'leaves', draw: drawLeaf },
  { name: 'drops', draw: drawDrop },
  { name: 'grapes', draw: drawGrapes },
  { name: 'moons', draw: drawMoon },
  { name: 'flowers', draw: drawFlower },
  { name: 'mushrooms', draw: drawMushroom },
  { name: 'fish', draw: drawFish },
  { name: 'stars', draw: drawStar },
  { name: 'clovers', draw: drawClover },
  { name: 'bells', draw: drawBell },
];

export const iconName = (kind: number): string => icons[kind]?.name ?? 'tiles';

export function drawIcon(pen: Pen, centre: Spot, radius: number, kind: number): void {
  pen.save();
  pen.translate(centre.x, centre.y);
  pen.scale(radius, radius);
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  icons[kind]?.draw(pen);
  pen.restore();
}

function disc(pen: Pen, x: number, y: number, radius: number, colour: string): void {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function line(pen: Pen, colour: string, width: number, points: readonly (readonly [number, number])[]): void {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
  pen.stroke();
}

function drawCherries(pen: Pen): void {
  line(pen, '#4c8a2b', 0.13, [[-0.45, 0.3], [0.2, -0.85], [0.5, 0.35]]); // prettier-ignore
  disc(pen, -0.45, 0.48, 0.46, '#d3202f');
  disc(pen, 0.5, 0.52, 0.44, '#e8323f');
  disc(pen, -0.6, 0.32, 0.12, '#ff9aa0');
  disc(pen, 0.36, 0.36, 0.11, '#ffb0b4');
}

function drawSun(pen: Pen): void {
  for (let ray = 0; ray < 8; ray++) {
    const [x, y] = [Math.cos((ray * Math.PI) / 4), Math.sin((ray * Math.PI) / 4)];
    line(pen, '#f59f0a', 0.2, [[0.66 * x, 0.66 * y], [0.92 * x, 0.92 * y]]); // prettier-ignore
  }
  disc(pen, 0, 0, 0.54, '#fdc42c');
  disc(pen, 0, 0, 0.36, '#ffdb6b');
}

function drawLeaf(pen: Pen): void {
  pen.fillStyle = '#3f9c35';
  pen.beginPath();
  pen.moveTo(-0.8, 0.8);
  pen.bezierCurveTo(-1, -0.5, 0.1, -0.9, 0.9, -0.9);
  pen.bezierCurveTo(0.95, 0.1, 0.5, 0.95, -0.8, 0.8);
  pen.fill();
  line(pen, '#d9f2b8', 0.1, [[-0.85, 0.85], [0.5, -0.5]]); // prettier-ignore
  line(pen, '#d9f2b8', 0.08, [[-0.2, 0.2], [-0.22, -0.3]]); // prettier-ignore
  line(pen, '#d9f2b8', 0.08, [[0, 0], [0.45, 0.08]]); // prettier-ignore
}

function drawDrop(pen: Pen): void {
  pen.fillStyle = '#2e86de';
  pen.beginPath();
  pen.moveTo(0, -0.98);
  pen.bezierCurveTo(0.5, -0.3, 0.78, 0, 0.78, 0.32);
  pen.bezierCurveTo(0.78, 1.15, -0.78, 1.15, -0.78, 0.32);
  pen.bezierCurveTo(-0.78, 0, -0.5, -0.3, 0, -0.98);
  pen.fill();
  disc(pen, -0.28, 0.36, 0.19, '#bfe0ff');
}

function drawGrapes(pen: Pen): void {
  line(pen, '#6b4423', 0.14, [[0, -0.6], [0.1, -0.98]]); // prettier-ignore
  for (const [row, count] of [3, 2, 1].entries()) {
    for (let index = 0; index < count; index++) {
      const x = (index - (count - 1) / 2) * 0.6;
      disc(pen, x, -0.35 + row * 0.5, 0.34, row % 2 === 0 ? '#7b3fb5' : '#8f55c9');
      disc(pen, x - 0.1, -0.45 + row * 0.5, 0.09, '#d9bdf2');
    }
  }
}

function drawMoon(pen: Pen): void {
  pen.fillStyle = '#3d4d8f';
  pen.beginPath();
  pen.arc(-0.05, 0, 0.9, 0.25 * Math.PI, 1.75 * Math.PI);
  pen.bezierCurveTo(-0.1, -0.45, -0.1, 0.45, 0.58, 0.63);
  pen.fill();
  disc(pen, 0.52, 0, 0.14, '#8492cf');
}

function drawFlower(pen: Pen): void {
  for (let petal = 0; petal < 6; petal++) {
    const angle = (petal * Math.PI) / 3;
    disc(pen, 0.54 * Math.sin(angle), -0.54 * Math.cos(angle), 0.36, petal % 2 === 0 ? '#f06fa8' : '#e2558f');
  }
  disc(pen, 0, 0, 0.32, '#ffd84d');
}

function drawMushroom(pen: Pen): void {
  pen.fillStyle = '#e9d7b8';
  pen.beginPath();
  pen.roundRect(-0.32, -0.1, 0.64, 1, 0.24);
  pen.fill();
  pen.strokeStyle = '#b99b6b';
  pen.lineWidth = 0.07;
  pen.stroke();
  pen.fillStyle = '#a4562a';
  pen.beginPath();
  pen.moveTo(-0.95, 0.12);
  pen.bezierCurveTo(-0.95, -1.25, 0.95, -1.25, 0.95, 0.12);
  pen.closePath();
  pen.fill();
  disc(pen, -0.35, -0.35, 0.18, '#f4e3cb');
  disc(pen, 0.28, -0.5, 0.15, '#f4e3cb');
  disc(pen, 0.45, -0.1, 0.12, '#f4e3cb');
}

function drawFish(pen: Pen): void {
  pen.fillStyle = '#f2711c';
  pen.beginPath();
  pen.moveTo(0.35, 0);
  pen.lineTo(0.98, -0.55);
  pen.lineTo(0.98, 0.55);
  pen.closePath();
  pen.fill();
  pen.beginPath();
  pen.ellipse(-0.22, 0, 0.76, 0.54, 0, 0, 2 * Math.PI);
  pen.fill();
  line(pen, '#ffffff', 0.15, [[0.02, -0.42], [-0.06, 0], [0.02, 0.42]]); // prettier-ignore
  disc(pen, -0.58, -0.12, 0.15, '#ffffff');
  disc(pen, -0.6, -0.12, 0.08, '#2b1405');
}

function drawStar(pen: Pen): void {
  pen.fillStyle = '#12a594';
  pen.beginPath();
  for (let corner = 0; corner < 10; corner++) {
    const reach = corner % 2 === 0 ? 1 : 0.46;
    pen.lineTo(reach * Math.sin((corner * Math.PI) / 5), 0.06 - reach * Math.cos((corner * Math.PI) / 5));
  }
  pen.closePath();
  pen.fill();
  disc(pen, 0, 0.04, 0.2, '#a6ece3');
}

function drawClover(pen: Pen): void {
  line(pen, '#1e5c2b', 0.14, [[0, 0], [0.25, 0.95]]); // prettier-ignore
  for (const [x, y] of [[-0.4, -0.38], [0.4, -0.38], [-0.4, 0.34], [0.4, 0.34]] as const) disc(pen, x, y, 0.42, '#1f7a38'); // prettier-ignore
  disc(pen, 0, -0.02, 0.14, '#9be0a4');
}

function drawBell(pen: Pen): void {
  disc(pen, 0, 0.74, 0.2, '#7a5310');
  pen.fillStyle = '#c98a12';
  pen.beginPath();
  pen.moveTo(-0.9, 0.62);
  pen.bezierCurveTo(-0.4, 0.2, -0.75, -0.9, 0, -0.9);
  pen.bezierCurveTo(0.75, -0.9, 0.4, 0.2, 0.9, 0.62);
  pen.closePath();
  pen.fill();
  line(pen, '#ffe199', 0.12, [[-0.3, -0.3], [-0.34, 0.2]]); // prettier-ignore
}
