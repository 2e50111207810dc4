import { createHash } from 'node:crypto';
import type { Screen } from './reader.js';

/** The smallest rectangle of a crop outside which every pixel has the colour of the top left corner. */
export interface Ink {
  /** Identifies the pixels of the rectangle and its surrounding colour. */
  readonly key: string;
  /** Its left edge, in px from the left of the crop. */
  readonly x: number;
}

/** Trims a crop to its ink: a detector's box of the same text differs by a pixel from frame to frame. */
export function inkOf({ pixels, size: { width, height } }: Screen): Ink {
  const [red, green, blue] = [pixels[0]!, pixels[1]!, pixels[2]!];
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += 3) {
      if (pixels[i] === red && pixels[i + 1] === green && pixels[i + 2] === blue) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  // Of a single colour. It may be ink.
  if (right < 0) [left, right, top, bottom] = [0, width - 1, 0, height - 1];
  const columns = right - left + 1;
  const hash = createHash('sha256').update(Uint32Array.of(columns, bottom - top + 1, red, green, blue));
  for (let y = top; y <= bottom; y++) {
    const start = (y * width + left) * 3;
    hash.update(pixels.subarray(start, start + columns * 3));
  }
  return { key: hash.digest('base64'), x: left };
}
