import { GyreError } from '@gyre/protocol';
import type { Frame } from '@gyre/sandbox';
import sharp from 'sharp';

/** A frame, or a PNG from the lake. */
export type Picture = Pick<Frame, 'png'> & Partial<Frame>;

const decoded = new WeakMap<Picture, Promise<Uint8Array>>();

/**
 * Decodes to RGB, `[height, width, 3]`. Cached; do not modify.
 *
 * @throws GyreError 'corrupt' if it is no image of the declared size.
 */
export function pixels(picture: Picture): Promise<Uint8Array> {
  let image = decoded.get(picture);
  if (image === undefined) {
    image = decode(picture);
    decoded.set(picture, image);
  }
  return image;
}

async function decode({ png, hash = 'screenshot', size }: Picture): Promise<Uint8Array> {
  const { data, info } = await sharp(png)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      throw new GyreError('corrupt', `cannot decode ${hash}`, { field: 'png', cause });
    });
  if (info.channels !== 3)
    throw new GyreError('corrupt', `${hash} has ${info.channels} channels, not 3`, { field: 'png' });
  if (size !== undefined && (info.width !== size.width || info.height !== size.height)) {
    throw new GyreError('corrupt', `${hash} is ${info.width}x${info.height}, not ${size.width}x${size.height}`, {
      field: 'size',
    });
  }
  return data;
}
