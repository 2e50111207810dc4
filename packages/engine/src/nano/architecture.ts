import { z } from 'zod';

/** Stored in checkpoints; independent of screen size. */
export const Architecture = z.strictObject({
  screenshots: z.int().positive(),
  width: z.int().positive(),
  heads: z.int().positive(),
  /** Windowed attention, after the convolutions. */
  imageLayers: z.int().nonnegative(),
  /** After one layer over the text alone. */
  decoderLayers: z.int().positive(),
  stem: z.int().positive().multipleOf(2),
  role: z.enum(['policy', 'critic']),
});
export type Architecture = z.infer<typeof Architecture>;

const nano: Architecture = {
  screenshots: 2,
  width: 128,
  heads: 4,
  imageLayers: 1,
  decoderLayers: 2,
  stem: 64,
  role: 'policy',
};

const micro: Architecture = {
  screenshots: 3,
  width: 320,
  heads: 5,
  imageLayers: 3,
  decoderLayers: 4,
  stem: 96,
  role: 'policy',
};

const small: Architecture = {
  screenshots: 5,
  width: 512,
  heads: 8,
  imageLayers: 5,
  decoderLayers: 6,
  stem: 128,
  role: 'policy',
};

export const architectures = { nano, micro, small } as const;

/** Per cell half: many characters are narrower than a cell. */
export const letterHeads = 2;
/** Adds the first seven characters of the cell's word. */
export const glyphHeads = letterHeads + 7;
/** In tokens. */
export const longestAction = 64;
/** Leaves room for the action. */
export const longestThought = 32;
/** In tokens. */
export const longestContext = 160;
