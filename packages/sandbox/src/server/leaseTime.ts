import { z } from 'zod';

/** What a lease of any kind may say of its time, in ms. */
export const leaseTime = {
  ttlMs: z.number().positive().max(86_400_000).optional(),
  /** How long to wait while as many are leased as may be, or somebody else has the device. */
  waitMs: z.number().nonnegative().max(600_000).optional(),
};
