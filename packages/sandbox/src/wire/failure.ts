import { Part } from '@gyre/protocol';
import { z } from 'zod';

export const Failure = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    field: z.string().optional(),
    fix: z.string().optional(),
    part: Part.optional(),
  }),
});
export type Failure = z.infer<typeof Failure>;
