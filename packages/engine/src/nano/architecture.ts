import { z } from 'zod';

/** The shape of a native policy, which every checkpoint holds. It does not depend on the screen: any size can be seen. */
export const Architecture = z.strictObject({
  /** In the context, at most. */
  screenshots: z.int().positive(),
  width: z.int().positive(),
  heads: z.int().positive(),
  /** Attention layers within windows of one screenshot, after the convolutions. */
  imageLayers: z.int().nonnegative(),
  /** Layers that attend to screenshots and text, after one over the text alone. */
  decoderLayers: z.int().positive(),
  stem: z.int().positive().multipleOf(2),
  /** `policy`: next-token logits. `critic`: one value per decision. */
  role: z.enum(['policy', 'critic']),
});
export type Architecture = z.infer<typeof Architecture>;

export const nano: Architecture = {
  screenshots: 2,
  width: 128,
  heads: 4,
  imageLayers: 1,
  decoderLayers: 2,
  stem: 64,
  role: 'policy',
};

export const micro: Architecture = {
  screenshots: 3,
  width: 320,
  heads: 5,
  imageLayers: 3,
  decoderLayers: 4,
  stem: 96,
  role: 'policy',
};

export const small: Architecture = {
  screenshots: 5,
  width: 512,
  heads: 8,
  imageLayers: 5,
  decoderLayers: 6,
  stem: 128,
  role: 'policy',
};

export const architectures = { nano, micro, small } as const;

/** Characters read per cell, in the middle of its left and right half: many are narrower than a cell. */
export const letterHeads = 2;
/** Reading heads: these, and the first seven characters of the cell's word. */
export const glyphHeads = letterHeads + 7;
/** Tokens of a decision at most: thought, function and arguments. */
export const longestAction = 64;
/** Tokens of a thought at most: the action needs room. */
export const longestThought = 32;
/** Tokens of instruction and past at most. */
export const longestContext = 160;
