import { fitWithin, fromPixels, type Point, type Size } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import sharp from 'sharp';

/**
 * Anthropic's smallest documented limits (1568 px, 1.15 megapixels): servers rescale larger images, which would change
 * the model's px.
 */
const limits = { longest: 1568, pixels: 1_150_000 };

export const scaledSize = (size: Size): Size => fitWithin(size, limits);

/** @throws GyreError `bad_input` for coordinates outside. */
export function screenPoint(xPx: number, yPx: number, size: Size): Point {
  return fromPixels({ xPx, yPx }, scaledSize(size));
}

const scaled = new WeakMap<Frame, Promise<string>>();

/** Returns base64 PNG, cached per frame. */
export function scaledPicture(frame: Frame): Promise<string> {
  let picture = scaled.get(frame);
  if (!picture) {
    picture = make(frame);
    scaled.set(frame, picture);
  }
  return picture;
}

async function make({ png, size }: Frame): Promise<string> {
  const { width, height } = scaledSize(size);
  const whole = width === size.width && height === size.height;
  const bytes = whole ? png : await sharp(png).resize(width, height, { fit: 'fill' }).png().toBuffer();
  return Buffer.from(bytes).toString('base64');
}
