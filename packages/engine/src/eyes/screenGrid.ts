import type { Size } from '@gyre/protocol';
import { type Grid, gridOf } from '../nano/grid.js';

/** Screens are reduced to at most this width, so that larger ones cost little more. */
const widest = 320;

/** Returns by how much a screen is reduced on each side. */
export function reductionOf({ width }: Size): number {
  return Math.max(1, Math.ceil(width / widest));
}

/** Returns the cells that a policy with a reader can point at: 8 x 8 px of the reduced screen. */
export function sceneGrid(size: Size): Grid {
  const side = 8 * reductionOf(size);
  return gridOf(size, { width: side, height: side });
}

/** Returns the size of the reduced screen, a multiple of 16 px. */
export function reducedSize(size: Size): Size {
  const { columns, rows } = sceneGrid(size);
  return { width: 16 * Math.ceil(columns / 2), height: 16 * Math.ceil(rows / 2) };
}

/** Averages blocks of pixels to RGB bytes `[height, width, 3]` of the reduced screen, padded with the last pixels. */
export function reduced(pixels: Uint8Array, size: Size): Uint8Array {
  const factor = reductionOf(size);
  const { width, height } = reducedSize(size);
  if (factor === 1 && width === size.width && height === size.height) return pixels;
  const out = new Uint8Array(width * height * 3);
  const area = factor * factor;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let [red, green, blue] = [0, 0, 0];
      for (let dy = 0; dy < factor; dy++) {
        const row = Math.min(size.height - 1, y * factor + dy) * size.width;
        for (let dx = 0; dx < factor; dx++) {
          const from = 3 * (row + Math.min(size.width - 1, x * factor + dx));
          red += pixels[from] ?? 0;
          green += pixels[from + 1] ?? 0;
          blue += pixels[from + 2] ?? 0;
        }
      }
      const to = 3 * (y * width + x);
      out[to] = red / area;
      out[to + 1] = green / area;
      out[to + 2] = blue / area;
    }
  }
  return out;
}
