import { performance } from 'node:perf_hooks';
import type { Quotas } from '../quotas.js';
import type { Sandbox, SandboxLease, SandboxSession } from '../sandbox.js';

export interface Leasing {
  readonly sandbox: Sandbox;
  /** Those of the server, beside those of the sandbox, which others may use as well. */
  readonly quotas: Quotas;
  readonly owner: string;
  /** Is aborted when nobody waits for the session any more. */
  readonly signal: AbortSignal;
}

/**
 * Leases for the bearer of a token. The place in the server's quotas is given back when the session has ended. Throws `QuotaReached`,
 * and what the sandbox throws.
 */
export async function leaseFor(
  { sandbox, quotas, owner, signal }: Leasing,
  { waitMs = 0, ...terms }: SandboxLease,
): Promise<SandboxSession> {
  const since = performance.now();
  const giveBack = await quotas.take({ kind: terms.kind, owner }, { waitMs, signal });
  try {
    const left = Math.max(0, waitMs - (performance.now() - since));
    const session = await sandbox.lease({ ...terms, owner, waitMs: left, signal });
    void session.ended.then(giveBack);
    return session;
  } catch (error) {
    giveBack();
    throw error;
  }
}
