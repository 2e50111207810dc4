import type { Sandbox, SandboxKind } from '@gyre/sandbox';
import { quantile } from './quantile.js';

/** How long it takes from asking for a session to its first frame, in ms. */
export interface LeaseRow {
  kind: SandboxKind;
  n: number;
  p50: number;
  p99: number;
  /** Of giving it back. */
  releaseP50: number;
}

/** Leases one after the other, each with walls and a machine of its own. */
export async function measureLeases(sandbox: Sandbox, kind: SandboxKind, n: number): Promise<LeaseRow> {
  const leases: number[] = [];
  const releases: number[] = [];
  for (let lease = -1; lease < n; lease++) {
    const asked = performance.now();
    const session = await sandbox.lease({ kind, size: { width: 640, height: 480 } });
    await session.screen.observe();
    const had = performance.now();
    await session.release();
    // The first one fills the machine's caches.
    if (lease < 0) continue;
    leases.push(had - asked);
    releases.push(performance.now() - had);
  }
  return {
    kind,
    n,
    p50: quantile(leases, 0.5),
    p99: quantile(leases, 0.99),
    releaseP50: quantile(releases, 0.5),
  };
}
