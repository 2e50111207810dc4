import type { Palette, Scene, ScreenSize, Spot } from '../game.js';

export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const hudHeight = (size: ScreenSize): number => Math.max(26, Math.round(size.height * 0.11));

export function boardFrame(size: ScreenSize, margin = 8): Frame {
  const top = hudHeight(size);
  return { x: margin, y: top, width: size.width - 2 * margin, height: size.height - top - margin };
}

/** Returns a centred grid with whole-px sides. */
export function gridIn(frame: Frame, columns: number, rows: number, maxSide = Infinity): Grid {
  const side = Math.floor(Math.min(frame.width / columns, frame.height / rows, maxSide));
  const x = Math.round(frame.x + (frame.width - side * columns) / 2);
  const y = Math.round(frame.y + (frame.height - side * rows) / 2);
  return { x, y, width: side * columns, height: side * rows, side, columns, rows };
}

export interface Grid extends Frame {
  readonly side: number;
  readonly columns: number;
  readonly rows: number;
}

export function cellAt(grid: Grid, spot: Spot): { column: number; row: number; index: number } | undefined {
  const column = Math.floor((spot.x - grid.x) / grid.side);
  const row = Math.floor((spot.y - grid.y) / grid.side);
  if (column < 0 || row < 0 || column >= grid.columns || row >= grid.rows) return undefined;
  return { column, row, index: row * grid.columns + column };
}

/** `index` is in reading order. */
export function middleOf(grid: Grid, index: number): Spot {
  return {
    x: grid.x + ((index % grid.columns) + 0.5) * grid.side,
    y: grid.y + (Math.floor(index / grid.columns) + 0.5) * grid.side,
  };
}

export function panel(
  pen: CanvasRenderingContext2D,
  frame: Frame,
  radius: number,
  fill: string | CanvasGradient,
): void {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.roundRect(frame.x, frame.y, frame.width, frame.height, radius);
  pen.fill();
}

/** Draws a bevelled piece, inset by `gap` px. */
export function tile(pen: CanvasRenderingContext2D, frame: Frame, colour: string, radius: number, gap = 1): void {
  const inner = { x: frame.x + gap, y: frame.y + gap, width: frame.width - 2 * gap, height: frame.height - 2 * gap };
  const lift = Math.max(1, Math.round(inner.height * 0.08));
  panel(pen, inner, radius, shade(colour, -0.22));
  panel(pen, { ...inner, height: inner.height - lift }, radius, shade(colour, 0.12));
  panel(pen, { ...inner, y: inner.y + 1, height: inner.height - lift - 1 }, radius, colour);
}

/** Lightens (to 1) or darkens (to -1). */
export function shade(colour: string, share: number): string {
  const target = share > 0 ? 255 : 0;
  const weight = Math.abs(share);
  const mixed = [1, 3, 5].map((offset) => {
    const part = parseInt(colour.slice(offset, offset + 2), 16);
    return Math.round(part + (target - part) * weight);
  });
  return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

interface Letters {
  readonly size: number;
  readonly weight?: 400 | 700;
}

export function write(
  pen: CanvasRenderingContext2D,
  text: string,
  spot: Spot,
  options: Letters & { colour: string; align?: CanvasTextAlign },
): void {
  const { colour, align = 'center' } = options;
  setLetters(pen, options);
  pen.fillStyle = colour;
  pen.textAlign = align;
  pen.textBaseline = 'middle';
  pen.fillText(text, Math.round(spot.x), Math.round(spot.y));
}

function widthOf(pen: CanvasRenderingContext2D, text: string, letters: Letters): number {
  setLetters(pen, letters);
  return pen.measureText(text).width;
}

function setLetters(pen: CanvasRenderingContext2D, { size, weight = 700 }: Letters): void {
  pen.font = pen.font.replace(/^.*?[\d.]+px/, `${weight} ${size}px`);
}

/** Draws the background and the head-up display. */
export function drawGround<Level extends { readonly difficulty: number }>(
  pen: CanvasRenderingContext2D,
  { size, palette, level }: Pick<Scene<Level, unknown, unknown>, 'size' | 'palette' | 'level'>,
  title: string,
  facts: readonly string[],
): void {
  const sky = pen.createLinearGradient(0, 0, 0, size.height);
  sky.addColorStop(0, palette.sky[0]);
  sky.addColorStop(1, palette.sky[1]);
  pen.fillStyle = sky;
  pen.fillRect(0, 0, size.width, size.height);
  const middle = hudHeight(size) / 2;
  const letters = Math.max(12, Math.round(hudHeight(size) * 0.46));
  const small = Math.max(11, Math.round(letters * 0.85));
  // Small screens drop the title first, then the level, then the last facts.
  const visibleFacts = [...facts, `level ${level.difficulty}`];
  const right = () => visibleFacts.join('   ');
  const ofTitle: Letters = { size: letters };
  const ofFacts: Letters = { size: small, weight: 400 };
  const room = size.width - 20;
  const widthOfFacts = () => widthOf(pen, right(), ofFacts);
  const hasTitle = widthOf(pen, title, ofTitle) + small + widthOfFacts() <= room;
  while (!hasTitle && visibleFacts.length > 1 && widthOfFacts() > room) visibleFacts.pop();
  if (hasTitle) write(pen, title, { x: 10, y: middle }, { ...ofTitle, colour: palette.text, align: 'left' });
  write(pen, right(), { x: size.width - 10, y: middle }, { ...ofFacts, colour: palette.muted, align: 'right' });
}

export function drawEnd(
  pen: CanvasRenderingContext2D,
  { size, palette, status }: Pick<Scene<unknown, unknown, unknown>, 'size' | 'palette' | 'status'>,
): void {
  if (!status.over) return;
  const height = Math.round(size.height * 0.16);
  const ribbon = { x: 0, y: Math.round((size.height - height) / 2), width: size.width, height };
  pen.globalAlpha = 0.92;
  panel(pen, ribbon, 0, status.won ? palette.accent : '#3a3f4b');
  pen.globalAlpha = 1;
  const colour = status.won ? palette.onAccent : '#ffffff';
  write(pen, status.won ? 'solved' : 'game over', middle(ribbon), { size: Math.round(height * 0.5), colour });
}

export const middle = ({ x, y, width, height }: Frame): Spot => ({ x: x + width / 2, y: y + height / 2 });

export const pieceColour = (palette: Palette, kind: number): string =>
  palette.pieces[kind % palette.pieces.length] ?? '#888888';
