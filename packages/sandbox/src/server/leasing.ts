import { performance } from 'node:perf_hooks';
import type { Claim, Quotas, WaitOptions } from '../lease/quotas.js';
import type { SandboxLease, AnySession } from '../lease/sandbox.js';

/** What a server says of a lease, whatever is leased. */
export type Leasing = Required<Pick<SandboxLease, 'owner' | 'waitMs' | 'signal'>>;

/**
 * Leases within the quotas of a server, which come before those of its sandbox: others may use that as well. The place is given back
 * when the session has ended. Throws `QuotaReached`, and what `lease` throws.
 */
export async function leaseFor(
  quotas: Quotas,
  claim: Claim & { readonly owner: string },
  { waitMs = 0, signal }: WaitOptions & { readonly signal: AbortSignal },
  lease: (more: Leasing) => Promise<AnySession>,
): Promise<AnySession> {
  const since = performance.now();
  const giveBack = await quotas.take(claim, { waitMs, signal });
  try {
    const left = Math.max(0, waitMs - (performance.now() - since));
    const session = await lease({ owner: claim.owner, waitMs: left, signal });
    void session.ended.then(giveBack);
    return session;
  } catch (error) {
    giveBack();
    throw error;
  }
}
