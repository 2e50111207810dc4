import { z } from 'zod';
import { Mark } from './episode.js';

/** A person's judgement of an episode that has ended, whose own record is immutable. The last one of a person counts. */
export const Review = z.strictObject({
  episode: z.string().min(1),
  /** Name of the reviewer. */
  by: z.string().min(1),
  at: z.iso.datetime(),
  /** Whether the task was done. */
  success: z.boolean(),
  /** `return`: the task needs another attempt. */
  verdict: z.enum(['accept', 'return']),
  reason: z.string().min(1).optional(),
  /** Later turns are not worth training on; -1: none is. Absent: all are. */
  lastGoodTurn: z.int().min(-1).optional(),
  turns: z.array(z.strictObject({ turn: z.int().nonnegative(), mark: Mark })).optional(),
});
export type Review = z.infer<typeof Review>;
