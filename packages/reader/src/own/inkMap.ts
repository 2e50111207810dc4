import type { PixelBox } from '@gyre/protocol';
import type { Screen } from '../reader.js';

/** Below, in RGB units, differences from the background are noise rather than faint text. */
const faintest = 20;
/** Px at the border of a box that count several times: text rarely reaches it. */
const rim = 2;
const rimWeight = 4;
/** Largest difference in brightness, of 255, from the background's. */
const window = 5;

/**
 * Maps a box of a screen to ink, 0..255: a pixel's distance from the background's colour, relative to the largest one,
 * so that text looks the same in every theme. Pixels outside the screen repeat its edge.
 */
export function inkMap({ pixels, size }: Screen, box: PixelBox): Float32Array {
  const { x: left, y: top, width, height } = box;
  const count = width * height;
  const reds = new Uint8Array(count);
  const greens = new Uint8Array(count);
  const blues = new Uint8Array(count);
  const greys = new Uint8Array(count);
  const histogram = new Uint32Array(256);
  for (let row = 0, i = 0; row < height; row++) {
    const start = Math.min(Math.max(top + row, 0), size.height - 1) * size.width;
    const inner = row >= rim && row < height - rim;
    for (let column = 0; column < width; column++, i++) {
      const from = (start + Math.min(Math.max(left + column, 0), size.width - 1)) * 3;
      const red = (reds[i] = pixels[from]!);
      const green = (greens[i] = pixels[from + 1]!);
      const blue = (blues[i] = pixels[from + 2]!);
      const grey = (red * 77 + green * 151 + blue * 28) >> 8;
      greys[i] = grey;
      histogram[grey]! += inner && column >= rim && column < width - rim ? 1 : rimWeight;
    }
  }
  const middle = mode(histogram);
  const red = meanNear(middle, reds, greys);
  const green = meanNear(middle, greens, greys);
  const blue = meanNear(middle, blues, greys);
  const ink = new Float32Array(count);
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const r = reds[i]! - red;
    const g = greens[i]! - green;
    const b = blues[i]! - blue;
    const distance = Math.sqrt((r * r + g * g + b * b) / 3);
    ink[i] = distance;
    if (distance > largest) largest = distance;
  }
  const scale = 255 / Math.max(faintest, largest);
  for (let i = 0; i < count; i++) ink[i]! *= scale;
  return ink;
}

/** Returns the mean of a channel over the pixels about as bright as `middle`. */
function meanNear(middle: number, channel: Uint8Array, greys: Uint8Array): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < greys.length; i++) {
    if (Math.abs(greys[i]! - middle) > window) continue;
    sum += channel[i]!;
    count++;
  }
  return sum / count;
}

/** Returns the middle of the `2 window + 1` neighbouring values that occur most. */
function mode(histogram: Uint32Array): number {
  let [best, largest] = [0, -1];
  for (let middle = 0; middle < 256; middle++) {
    let sum = 0;
    for (let value = Math.max(0, middle - window); value <= Math.min(255, middle + window); value++)
      sum += histogram[value]!;
    // The occupied value in the middle of a window wins.
    if (sum + histogram[middle]! / 2 > largest) [best, largest] = [middle, sum + histogram[middle]! / 2];
  }
  return best;
}
