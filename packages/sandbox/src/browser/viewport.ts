import type { Point, Size } from '@gyre/protocol';

/** A position in CSS px. */
export interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** Returns the pixel under a point. Points at 1 are in the last pixel. */
export function pixelAt(point: Point, size: Size): Pixel {
  return {
    x: Math.min(Math.floor(point.x * size.width), size.width - 1),
    y: Math.min(Math.floor(point.y * size.height), size.height - 1),
  };
}
