import { z } from 'zod';
import { Size } from '../action/point.js';

/** What an agent may act by: surfaces of its session, and `search`, a service that whoever runs the episode gives it. */
export const Surface = z.enum(['screen', 'shell', 'files', 'browser', 'tools', 'search']);
export type Surface = z.infer<typeof Surface>;

/** Which part of the seeds, words and layouts a task is drawn from. Nothing of `test` may be trained on. */
export const Split = z.enum(['train', 'dev', 'test']);
export type Split = z.infer<typeof Split>;

/** What to do. The verifier and the oracle are code and are found by `family`; this is the part that is data. */
export const Task = z.strictObject({
  /** Unique: `family/split/seed`. */
  id: z.string().min(1),
  family: z.string().min(1),
  split: Split,
  seed: z.int().nonnegative(),
  /** What the agent is told. */
  instruction: z.string().min(1),
  surfaces: z.array(Surface).min(1),
  screen: Size,
  /** The most turns an episode may have. */
  stepBudget: z.int().positive(),
  /** How hard it is among the tasks of its family, 1 the easiest; absent where the family does not tell. */
  difficulty: z.int().min(1).max(5).optional(),
});
export type Task = z.infer<typeof Task>;
