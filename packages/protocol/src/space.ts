import { GyreError } from './error.js';
import type { Point, Size } from './point.js';

/** One pixel of a screen, counted from 0 at the top left. Its field names keep it from being taken for a {@link Point}. */
export interface Pixel {
  readonly xPx: number;
  readonly yPx: number;
}

/** A place on the grid of integers 0..1000 across and down the screen that T5 prints. */
export interface Thousand {
  readonly x1000: number;
  readonly y1000: number;
}

/** The pixel of a screen of `size` that holds `point`. Its centre is at most half a pixel away. */
export function toPixels(point: Point, size: Size): Pixel {
  return { xPx: cellOf(point.x, size.width), yPx: cellOf(point.y, size.height) };
}

/**
 * The centre of a pixel, so that {@link toPixels} gives the same pixel back.
 * @throws GyreError `bad_input` for a pixel that is not on a screen of `size`.
 */
export function fromPixels(pixel: Pixel, size: Size): Point {
  return { x: centreOf(pixel.xPx, size.width, 'xPx'), y: centreOf(pixel.yPx, size.height, 'yPx') };
}

/** The nearest place of the grid: at most half of 1/1000 away. */
export function toThousand(point: Point): Thousand {
  return { x1000: Math.round(point.x * 1000), y1000: Math.round(point.y * 1000) };
}

/** @throws GyreError `bad_input` for numbers that are not integers 0..1000. */
export function fromThousand(place: Thousand): Point {
  return { x: thousandth(place.x1000, 'x1000'), y: thousandth(place.y1000, 'y1000') };
}

function cellOf(share: number, count: number): number {
  // The right and bottom edges (1) belong to the last pixel.
  return Math.min(Math.floor(share * count), count - 1);
}

function centreOf(cell: number, count: number, field: string): number {
  if (!Number.isInteger(cell) || cell < 0 || cell >= count) {
    throw new GyreError('bad_input', `${field} is ${cell}, which is not on the screen`, {
      field,
      fix: `give an integer 0..${count - 1}`,
    });
  }
  return (cell + 0.5) / count;
}

function thousandth(value: number, field: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 1000) {
    throw new GyreError('bad_input', `${field} is ${value}`, { field, fix: 'give an integer 0..1000' });
  }
  return value / 1000;
}
