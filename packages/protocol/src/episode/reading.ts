import { z } from 'zod';
import { PixelBox } from '../space/pixelBox.js';

/** A line of text on a screen. */
export const TextLine = z.strictObject({
  text: z.string().min(1),
  box: PixelBox,
  /** Horizontal centre of each code point of `text`, in px from the left of the screen. */
  centres: z.array(z.number()),
});
export type TextLine = z.infer<typeof TextLine>;

/** The text of a screenshot as a reader saw it. */
export const Reading = z.strictObject({
  /** Name and version of the reader. `simulated`: derived from the page, for training only. */
  reader: z.string().min(1),
  /** From top to bottom, then left to right. */
  lines: z.array(TextLine),
});
export type Reading = z.infer<typeof Reading>;
