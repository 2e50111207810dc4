import { GyreError, Size } from '@gyre/protocol';
import { type Frame, frameOf } from '@gyre/sandbox';
import { z } from 'zod';

/** Text, structured data, or a picture as a data URL; audio and video have no form of text. */
const Content = z.object({ name: z.string().nullish(), data: z.unknown() });

/** Contents that tools and tasks return. Types of Python (`_type`) are left out. */
export const Observation = z.object({ contents: z.array(Content) });
export type Observation = z.infer<typeof Observation>;

const picturePrefix = 'data:image/png;base64,';

/** In characters. */
const maxText = 16_384;

const maxPixels = 2 ** 26;

/** 160 x 160 white px: stands for the screen of a task that has none. */
export const noScreen: Frame = frameOf(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAKAAAACgAQMAAACxAfVuAAAAA1BMVEX///+nxBvIAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAGUlEQVRIx+3BAQ0AAADCoPdP7ewBFAAAADcNIAABXEQRjwAAAABJRU5ErkJggg==',
    'base64',
  ),
  { width: 160, height: 160 },
);

/** Returns the texts, under their names. At most 16,384 characters; the middle is left out. */
export function textOf({ contents }: Observation): string {
  const texts = contents.flatMap(({ name, data }) => {
    const text =
      typeof data === 'string' ? data : typeof data === 'object' && data !== null ? JSON.stringify(data) : '';
    if (text === '' || isPicture(data)) return [];
    return [name ? `${name}:\n${text}` : text];
  });
  const text = texts.join('\n\n').trim();
  if (text.length <= maxText) return text;
  const half = maxText / 2;
  return `${text.slice(0, half)}\n[${text.length - maxText} characters omitted]\n${text.slice(-half)}`;
}

/**
 * Returns the last picture; undefined if there is none.
 *
 * @throws GyreError `infra` for a picture that is no PNG or too large
 */
export function screenOf({ contents }: Observation): Frame | undefined {
  const picture = contents.map(({ data }) => data).findLast(isPicture);
  if (picture === undefined) return undefined;
  const png = Buffer.from(picture.slice(picturePrefix.length), 'base64');
  const isPng = png.length > 24 && png.toString('latin1', 1, 4) === 'PNG' && png.toString('latin1', 12, 16) === 'IHDR';
  const size = Size.safeParse(isPng ? { width: png.readUInt32BE(16), height: png.readUInt32BE(20) } : undefined);
  if (size.success && size.data.width * size.data.height <= maxPixels) return frameOf(png, size.data);
  throw new GyreError('infra', `a CUBE server sent ${png.length} bytes that are no PNG screenshot`, {
    part: 'benchmark',
  });
}

const isPicture = (data: unknown): data is string => typeof data === 'string' && data.startsWith(picturePrefix);
