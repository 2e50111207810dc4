import type { Size } from '@gyre/protocol';
import { z } from 'zod';

/** What makes two native policies the same shape. Written into every checkpoint. */
export const Architecture = z.strictObject({
  /** Screen in px; the width a multiple of 8, the height of 16. */
  screen: z.strictObject({ width: z.int().positive().multipleOf(8), height: z.int().positive().multipleOf(16) }),
  /** How many of the last screenshots are in the context. */
  screenshots: z.int().positive(),
  /** Width of the residual stream. */
  width: z.int().positive(),
  heads: z.int().positive(),
  /** Bidirectional attention layers over one screenshot, after the convolutions. */
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
  screen: { width: 160, height: 160 },
  screenshots: 1,
  width: 128,
  heads: 4,
  imageLayers: 1,
  decoderLayers: 2,
  stem: 64,
  role: 'policy',
};

/** Size of a cell in px: one visual token, one pointer token. Wider than tall letters, so that a word spans several cells. */
export const cell = { width: 8, height: 16 } as const;

export function cellsOf(screen: Size): { columns: number; rows: number } {
  return { columns: screen.width / cell.width, rows: screen.height / cell.height };
}

/** Reading heads: the letter at a cell's centre, and the first seven letters of the word that the cell belongs to. */
export const glyphHeads = 8;
/** Classes of a reading head: nothing, a to z. */
export const glyphClasses = 27;
/** Most tokens that one decision can have: a function and its arguments. */
export const longestAction = 14;
/** Length of the position table: longest context plus longest action. */
export const longestContext = 96;
