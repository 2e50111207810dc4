import { components } from './components.js';
import type { Rect } from './rect.js';
import type { Screen } from './reader.js';

/** Changes in neighbouring tiles belong together. In px. */
const tile = 16;

/** Returns rectangles around the pixels that differ between two screens of the same size, one per cluster. */
export function differences(before: Screen, after: Screen): Rect[] {
  const { width, height } = after.size;
  const grid = { width: Math.ceil(width / tile), height: Math.ceil(height / tile) };
  const map = new Float32Array(grid.width * grid.height);
  const bounds = new Array<Rect | undefined>(map.length);
  for (let y = 0; y < height; y++) {
    const start = y * width * 3;
    const end = start + width * 3;
    // Native, and most rows are equal.
    if (Buffer.compare(before.pixels.subarray(start, end), after.pixels.subarray(start, end)) === 0) continue;
    for (let x = 0, i = start; x < width; x++, i += 3) {
      if (samePixel(before.pixels, after.pixels, i)) continue;
      const index = Math.floor(y / tile) * grid.width + Math.floor(x / tile);
      const { left = x, right = x, top = y } = bounds[index] ?? {};
      map[index] = 1;
      bounds[index] = { left: Math.min(left, x), top, right: Math.max(right, x + 1), bottom: y + 1 };
    }
  }
  return components(map, grid, 0).map((cluster) => tightest(cluster, bounds, grid.width));
}

function samePixel(a: Uint8Array, b: Uint8Array, i: number): boolean {
  return a[i] === b[i] && a[i + 1] === b[i + 1] && a[i + 2] === b[i + 2];
}

/** Tiles of another cluster within the rectangle only make it larger. */
function tightest(tiles: Rect, bounds: readonly (Rect | undefined)[], columns: number): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let row = tiles.top; row < tiles.bottom; row++) {
    for (let column = tiles.left; column < tiles.right; column++) {
      const rect = bounds[row * columns + column];
      if (rect === undefined) continue;
      left = Math.min(left, rect.left);
      top = Math.min(top, rect.top);
      right = Math.max(right, rect.right);
      bottom = Math.max(bottom, rect.bottom);
    }
  }
  return { left, top, right, bottom };
}
