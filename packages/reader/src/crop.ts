import type { PixelBox } from '@gyre/protocol';
import type { Screen } from './reader.js';

/** Copies the whole pixels that a box touches, at least 2x2; `x` is the crop's left edge on the screen. */
export function cropOf({ pixels, size }: Screen, box: PixelBox): { screen: Screen; x: number } {
  const left = clamp(Math.floor(box.x), 0, Math.max(0, size.width - 2));
  const top = clamp(Math.floor(box.y), 0, Math.max(0, size.height - 2));
  const right = clamp(Math.ceil(box.x + box.width), left + 2, size.width);
  const bottom = clamp(Math.ceil(box.y + box.height), top + 2, size.height);
  const width = right - left;
  const height = bottom - top;
  const copy = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row++) {
    const start = ((top + row) * size.width + left) * 3;
    copy.set(pixels.subarray(start, start + width * 3), row * width * 3);
  }
  return { screen: { pixels: copy, size: { width, height } }, x: left };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, Math.min(low, high)), high);
}
