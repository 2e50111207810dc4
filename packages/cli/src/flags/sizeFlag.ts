import { ScreenSize } from '@gyre/sandbox';
import { z } from 'zod';

/** A size in px, such as 320x240. */
export function optionalSize(description: string) {
  const schema = z
    .string()
    .regex(/^\d{1,9}x\d{1,9}$/, { error: 'must be WIDTHxHEIGHT in px' })
    .transform((text) => {
      const [width = 0, height = 0] = text.split('x').map(Number);
      return { width, height };
    })
    .pipe(ScreenSize)
    .optional();
  return { schema, description, placeholder: 'WxH', example: '320x240' };
}
