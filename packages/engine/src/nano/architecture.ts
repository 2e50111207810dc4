import { z } from 'zod';

/** What makes two native policies the same shape. Written into every checkpoint. The screen is no part of it: any size can be seen. */
export const Architecture = z.strictObject({
  /** Most screenshots in the context. */
  screenshots: z.int().positive(),
  /** Width of the residual stream. */
  width: z.int().positive(),
  heads: z.int().positive(),
  /** Bidirectional attention layers over a window of one screenshot, after the convolutions. */
  imageLayers: z.int().nonnegative(),
  /** Layers in which the decision looks at the screenshots and the text, after one layer over the text alone. */
  decoderLayers: z.int().positive(),
  /** Channels of the convolution-like stem, even. */
  stem: z.int().positive().multipleOf(2),
  /** `policy`: next-token logits. `critic`: one value per decision. */
  role: z.enum(['policy', 'critic']),
});
export type Architecture = z.infer<typeof Architecture>;

/** About a million parameters: what two CPU cores can train in minutes. */
export const nano: Architecture = {
  screenshots: 2,
  width: 128,
  heads: 4,
  imageLayers: 1,
  decoderLayers: 2,
  stem: 64,
  role: 'policy',
};

/** About ten million parameters. */
export const micro: Architecture = {
  screenshots: 3,
  width: 320,
  heads: 5,
  imageLayers: 3,
  decoderLayers: 4,
  stem: 96,
  role: 'policy',
};

/** About forty million parameters. */
export const small: Architecture = {
  screenshots: 5,
  width: 512,
  heads: 8,
  imageLayers: 5,
  decoderLayers: 6,
  stem: 128,
  role: 'policy',
};

/** The sizes that have a name. */
export const architectures = { nano, micro, small } as const;

/** Places of a cell, in the middle of its left and its right half, at which characters are read: many are narrower than a cell. */
export const letterHeads = 2;
/** Reading heads: the characters at these places, and the first seven characters of the word that the cell belongs to. */
export const glyphHeads = letterHeads + 7;
/** Most tokens that one decision can have: a thought, a function and its arguments. */
export const longestAction = 64;
/** Most of them that can be a thought: room is left for the action. */
export const longestThought = 32;
/** Most tokens of instruction and past. */
export const longestContext = 160;
