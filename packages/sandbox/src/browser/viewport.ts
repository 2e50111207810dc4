import type { Point, Size } from '@gyre/protocol';

export interface Pixel {
  readonly x: number;
  readonly y: number;
}

/** Returns the pixel under a point, clamped to the screen. */
export function pixelAt(point: Point, size: Size): Pixel {
  return {
    x: Math.min(Math.floor(point.x * size.width), size.width - 1),
    y: Math.min(Math.floor(point.y * size.height), size.height - 1),
  };
}
