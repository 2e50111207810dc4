import { GyreError } from '../error.js';
import type { Size } from '../action/point.js';

/** Sides are multiples of `factor`; the area is bounded in px. */
export interface ResizeLimits {
  readonly factor: number;
  readonly minPixels: number;
  readonly maxPixels: number;
}

const patch = 28 * 28;
const limits = (maxPatches: number, minPatches = 100): ResizeLimits => ({
  factor: 28,
  minPixels: minPatches * patch,
  maxPixels: maxPatches * patch,
});

/** Published limits of the UI-TARS family and of OpenCUA's Qwen2.5-VL, in patches of 28 x 28 px. */
export const resizeLimits = {
  'ui-tars-1.0': limits(2700),
  'ui-tars-1.5': limits(16384),
  doubao: limits(5120),
  opencua: limits(16384, 4),
} as const satisfies Record<string, ResizeLimits>;

const maxAspectRatio = 200;

/**
 * Computes `smart_resize` of Qwen2-VL's public processor.
 * @throws GyreError `bad_input` for an aspect ratio above 200.
 */
export function smartResize(size: Size, { factor, minPixels, maxPixels }: ResizeLimits): Size {
  const { width, height } = size;
  if (Math.max(width, height) / Math.min(width, height) > maxAspectRatio) {
    throw new GyreError('bad_input', `an image of ${width} x ${height} px is too elongated to resize`, {
      field: 'size',
      fix: `use one whose longer side is at most ${maxAspectRatio} times the shorter one`,
    });
  }
  const area = { width: nearest(width / factor) * factor, height: nearest(height / factor) * factor };
  const pixels = Math.max(area.width, factor) * Math.max(area.height, factor);
  if (pixels > maxPixels) {
    const shrink = Math.sqrt((width * height) / maxPixels);
    const side = (length: number) => Math.max(factor, Math.floor(length / shrink / factor) * factor);
    return { width: side(width), height: side(height) };
  }
  if (pixels < minPixels) {
    const grow = Math.sqrt(minPixels / (width * height));
    const side = (length: number) => Math.ceil((length * grow) / factor) * factor;
    return { width: side(width), height: side(height) };
  }
  return { width: Math.max(area.width, factor), height: Math.max(area.height, factor) };
}

/** Fits within `longest` px per side and `pixels` of area; never enlarges. */
export function fitWithin(size: Size, { longest, pixels }: { longest: number; pixels: number }): Size {
  const { width, height } = size;
  const shrink = Math.min(1, longest / Math.max(width, height), Math.sqrt(pixels / (width * height)));
  const side = (length: number) => Math.max(1, Math.floor(length * shrink));
  return { width: side(width), height: side(height) };
}

/** Rounds half to even, as in Python. */
function nearest(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
