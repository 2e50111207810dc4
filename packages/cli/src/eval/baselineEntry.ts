import { Split } from '@gyre/protocol';
import { z } from 'zod';

/** What random actions, or the scripted solution, achieve on a family. */
export const BaselineEntry = z.strictObject({
  family: z.string(),
  suite: z.string(),
  split: Split,
  policy: z.enum(['random', 'oracle']),
  n: z.int().positive(),
  success: z.number(),
  low: z.number(),
  high: z.number(),
  score: z.number(),
  gameScore: z.number().optional(),
  /** When it was played. */
  date: z.iso.date(),
});
export type BaselineEntry = z.infer<typeof BaselineEntry>;
