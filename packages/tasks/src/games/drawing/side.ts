import type { Palette, ScreenSize } from '../game.js';
import { type Frame, boardFrame, middle, panel, write } from './kit.js';

/** The side column holds goals or a tray. */
export function boardAndSide(size: ScreenSize): { board: Frame; side: Frame } {
  const whole = boardFrame(size);
  const width = Math.round(size.width * 0.26);
  return {
    board: { ...whole, width: whole.width - width - 8 },
    side: { ...whole, x: whole.x + whole.width - width, width },
  };
}

export function rowsOf(frame: Frame, count: number, gap: number): Frame[] {
  const height = (frame.height - gap * (count - 1)) / count;
  return Array.from({ length: count }, (_, row) => ({ ...frame, y: frame.y + row * (height + gap), height }));
}

export function card(pen: CanvasRenderingContext2D, frame: Frame, palette: Palette): void {
  pen.globalAlpha = 0.1;
  panel(pen, frame, Math.round(Math.min(frame.width, frame.height) * 0.1), palette.text);
  pen.globalAlpha = 1;
}

/** Draws a captioned card; returns the frame below the caption. */
export function captionCard(pen: CanvasRenderingContext2D, frame: Frame, palette: Palette, caption: string): Frame {
  card(pen, frame, palette);
  const size = Math.max(11, Math.round(frame.width * 0.13));
  write(
    pen,
    caption,
    { x: frame.x + frame.width / 2, y: frame.y + size },
    { size, colour: palette.muted, weight: 400 },
  );
  const taken = Math.round(size * 1.6);
  return { ...frame, y: frame.y + taken, height: frame.height - taken };
}

export function factCard(
  pen: CanvasRenderingContext2D,
  frame: Frame,
  palette: Palette,
  { caption, fact }: { readonly caption: string; readonly fact: string },
): void {
  const { y, height, width, x } = captionCard(pen, frame, palette, caption);
  const size = Math.round(Math.min(height * 0.6, (width * 1.3) / Math.max(4, fact.length)));
  write(pen, fact, middle({ x, y: y - height * 0.08, width, height }), { size, colour: palette.text });
}
