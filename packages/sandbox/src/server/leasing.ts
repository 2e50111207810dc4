import { performance } from 'node:perf_hooks';
import type { Claim, Quotas } from '../lease/quotas.js';
import type { SandboxLease, AnySession } from '../lease/sandbox.js';
import type { WaitOptions } from '../lease/waitingLine.js';

export type LeaseCallOptions = Required<Pick<SandboxLease, 'owner' | 'waitMs' | 'signal'>>;

/** Checks the server's quotas before the sandbox's. The slot is freed when the session ends. Throws `QuotaReached`. */
export async function leaseWithinQuota(
  quotas: Quotas,
  claim: Claim & { readonly owner: string },
  { waitMs = 0, signal }: WaitOptions & { readonly signal: AbortSignal },
  lease: (more: LeaseCallOptions) => Promise<AnySession>,
): Promise<AnySession> {
  const since = performance.now();
  const giveBack = await quotas.take(claim, { waitMs, signal });
  try {
    const remainingMs = Math.max(0, waitMs - (performance.now() - since));
    const session = await lease({ owner: claim.owner, waitMs: remainingMs, signal });
    void session.ended.then(giveBack);
    return session;
  } catch (error) {
    giveBack();
    throw error;
  }
}
