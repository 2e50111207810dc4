import { z } from 'zod';
import { Size } from '../action/point.js';

/** `search` comes from the episode's runner, all else from the session. */
export const Surface = z.enum(['screen', 'shell', 'files', 'browser', 'tools', 'search']);
export type Surface = z.infer<typeof Surface>;

/** Nothing of `test` may be trained on. */
export const Split = z.enum(['train', 'dev', 'test']);
export type Split = z.infer<typeof Split>;

/** Pure data: the verifier and oracle are found by `family`. */
export const Task = z.strictObject({
  /** Unique: `family/split/seed`. */
  id: z.string().min(1),
  family: z.string().min(1),
  split: Split,
  seed: z.int().nonnegative(),
  instruction: z.string().min(1),
  surfaces: z.array(Surface).min(1),
  screen: Size,
  /** Maximum turns per episode. */
  stepBudget: z.int().positive(),
  /** Within the family, 1 the easiest. */
  difficulty: z.int().min(1).max(5).optional(),
});
export type Task = z.infer<typeof Task>;
