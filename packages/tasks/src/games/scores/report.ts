import { z } from 'zod';

/** Stored in the verdict's evidence as `report`. */
export const GameReport = z.strictObject({
  game: z.string().min(1),
  version: z.int().positive(),
  level: z.int().min(1).max(5),
  /** The scalar reward. */
  score: z.number(),
  progress: z.number().min(0).max(1),
  won: z.boolean(),
  terminated: z.boolean(),
  lives: z.int().nonnegative(),
  moves: z.int().nonnegative(),
  checksum: z.string().regex(/^[0-9a-f]{8}$/),
});
export type GameReport = z.infer<typeof GameReport>;
