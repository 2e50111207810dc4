import { Split } from '@gyre/protocol';
import { z } from 'zod';

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
  date: z.iso.date(),
});
export type BaselineEntry = z.infer<typeof BaselineEntry>;
