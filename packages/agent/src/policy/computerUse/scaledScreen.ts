import { fitWithin, fromPixels, type Point, type Size } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import sharp from 'sharp';

/**
 * What a screenshot may measure in px without being made smaller by the server, so that what a model says is px of what we sent: the
 * least that Anthropic's documentation of images names for any model (1568 px, 1.15 megapixels).
 */
const limits = { longest: 1568, pixels: 1_150_000 };

/** The size in which a model sees a screen of `size`. */
export const scaledSize = (size: Size): Size => fitWithin(size, limits);

/**
 * Where a pixel of a scaled screenshot is on the screen of `size`.
 * @throws GyreError `bad_input` for numbers that are no pixel of it.
 */
export function screenPoint(xPx: number, yPx: number, size: Size): Point {
  return fromPixels({ xPx, yPx }, scaledSize(size));
}

const scaled = new WeakMap<Frame, Promise<string>>();

/** A screenshot as a model sees it: PNG in base64. Each frame is made once. */
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
