import { fitWithin, fromPixels, type Point, type Size } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import sharp from 'sharp';

/**
 * The smallest limits in Anthropic's image documentation (1568 px, 1.15 megapixels): below them no server rescales, so
 * the model's px are ours.
 */
const limits = { longest: 1568, pixels: 1_150_000 };

export const scaledSize = (size: Size): Size => fitWithin(size, limits);

/**
 * Converts a scaled screenshot's pixel to a screen point.
 *
 * @throws GyreError `bad_input` for coordinates outside.
 */
export function screenPoint(xPx: number, yPx: number, size: Size): Point {
  return fromPixels({ xPx, yPx }, scaledSize(size));
}

const scaled = new WeakMap<Frame, Promise<string>>();

/** Returns a scaled screenshot as base64 PNG. Cached per frame. */
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
