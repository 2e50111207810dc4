import type { Spot } from '../game.js';

type Pen = CanvasRenderingContext2D;

const maxCached = 300;
const sprites = new Map<string, HTMLCanvasElement>();

/**
 * Draws a cached picture. `name` must encode everything that it depends on, except the page's palette and font. `paint`
 * draws around 0, 0, within `reach` px.
 */
export function drawSprite(pen: Pen, name: string, spot: Spot, reach: number, paint: (pen: Pen) => void): void {
  const scale = pen.getTransform().a;
  const half = Math.ceil(reach * scale);
  // Copying a canvas without pixels throws.
  if (half < 1) return;
  const key = `${name}/${half}`;
  let picture = sprites.get(key);
  if (!picture) {
    if (sprites.size >= maxCached) sprites.clear();
    picture = document.createElement('canvas');
    picture.width = picture.height = 2 * half;
    const brush = picture.getContext('2d');
    if (!brush) throw new Error('the canvas has no 2D context');
    brush.translate(half, half);
    brush.scale(scale, scale);
    brush.font = pen.font;
    paint(brush);
    sprites.set(key, picture);
  }
  const [x, y] = [Math.round(spot.x * scale) - half, Math.round(spot.y * scale) - half];
  pen.drawImage(picture, x / scale, y / scale, (2 * half) / scale, (2 * half) / scale);
}
