import { Part } from '@gyre/protocol';
import { z } from 'zod';

/** The reply to every request that fails. */
export const Failure = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    fix: z.string().optional(),
    /** The part that died or did not answer, of an `infra` error. */
    part: Part.optional(),
  }),
});
export type Failure = z.infer<typeof Failure>;
