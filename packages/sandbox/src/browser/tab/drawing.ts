import type { Size } from '@gyre/protocol';
import { pageProgram } from '../pageProgram.js';
import type { Picture } from './tab.js';

export function isDrawnExpression(): string {
  return `(${pageProgram(new URL('./page/drawing.page.bundle', import.meta.url))})()`;
}

/** Returns a white picture. */
export async function blankPicture({ width, height }: Size, { format, quality }: Picture): Promise<Uint8Array> {
  // Slow to load and rarely needed.
  const { default: sharp } = await import('sharp');
  const white = sharp({ create: { width, height, channels: 3, background: '#fff' } });
  return format === 'png' ? white.png().toBuffer() : white.jpeg({ quality }).toBuffer();
}
