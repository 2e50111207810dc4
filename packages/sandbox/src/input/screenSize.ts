import { GyreError, Size } from '@gyre/protocol';
import { z } from 'zod';
import { describeValue } from '../checkedNumber.js';

/** Px; fits 8K (7680 x 4320). Chromium leaves parts of larger pages white; Xvfb allows twice that. */
const longestSide = 8_192;
const maxPixels = 2 ** 25;

const range = `whole numbers from 1 to ${longestSide}, and at most ${maxPixels} px in all`;

function fits(size: unknown): size is Size {
  const { data } = Size.safeParse(size);
  return (
    data !== undefined && Math.max(data.width, data.height) <= longestSide && data.width * data.height <= maxPixels
  );
}

const side = { type: 'integer', minimum: 1, maximum: longestSide } as const;

/** Issues are on the whole size, so that errors name the range. */
export const ScreenSize = z.custom<Size>(fits, { error: `must be ${range}` }).meta({
  type: 'object',
  properties: { width: side, height: side },
  required: ['width', 'height'],
  additionalProperties: false,
  description: `Px of a screen: ${range}.`,
});

/** Throws `bad_input` with the range. */
export function checkedSize(size: unknown): Size {
  if (fits(size)) return size;
  const { width, height } = (typeof size === 'object' && size !== null ? size : {}) as Record<string, unknown>;
  throw new GyreError('bad_input', `invalid screen size: ${describeValue(width)} x ${describeValue(height)} px`, {
    field: 'size',
    fix: `use ${range}`,
  });
}
