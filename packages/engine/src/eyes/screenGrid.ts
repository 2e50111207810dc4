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
  const lefts = clamped(width * factor, size.width, 3);
  const tops = clamped(height * factor, size.height, 3 * size.width);
  let to = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let dy = 0; dy < factor; dy++) {
        const row = tops[y * factor + dy]!;
        for (let dx = 0; dx < factor; dx++) {
          const from = row + lefts[x * factor + dx]!;
          red += pixels[from]!;
          green += pixels[from + 1]!;
          blue += pixels[from + 2]!;
        }
      }
      out[to] = (red / area) | 0;
      out[to + 1] = (green / area) | 0;
      out[to + 2] = (blue / area) | 0;
      to += 3;
    }
  }
  return out;
}

/** Returns the byte offset of each place along a side; those past its end are the last. */
function clamped(count: number, length: number, stride: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => Math.min(i, length - 1) * stride);
}
