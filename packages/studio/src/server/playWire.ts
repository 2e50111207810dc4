import { z } from 'zod';

export const PlayFromRequest = z.strictObject({
  /** Turns to keep. */
  turn: z.int().nonnegative(),
  /** Name of the person. */
  by: z.string().trim().min(1).max(60),
});

export const PlayRequest = z.strictObject({ by: PlayFromRequest.shape.by, task: z.string().trim().min(1).max(200) });
