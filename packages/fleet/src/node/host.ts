import { type Delegation, type LeaseRequest, QuotaReached, type SandboxKind, type SandboxServer } from '@gyre/sandbox';
import { HttpRefusal, sessionInfo, type SessionInfo } from '@gyre/sandbox';

export interface HostedSession {
  readonly info: SessionInfo;
  /** Resolves once its place is free. */
  readonly ended: Promise<unknown>;
  release(): Promise<void>;
}

/** Leases of one machine, as a node offers them. */
export interface NodeHost {
  readonly taken: number;
  readonly warm: Readonly<Partial<Record<SandboxKind, number>>>;
  readonly isOpen: boolean;
  /** Throws if it has no place now: `isFull` tells. */
  lease(request: LeaseRequest, lessee: { owner: string; signal: AbortSignal }): Promise<HostedSession>;
  find(id: string): HostedSession | undefined;
  list(owner: string | undefined): SessionInfo[];
  open(isOpen: boolean): void;
  onChange(listener: () => void): void;
}

/** Whether another machine, or this one later, may have a place. */
export const isFull = (error: unknown): boolean =>
  error instanceof QuotaReached || (error instanceof HttpRefusal && error.status === 503);

/** Offers the leases of a server. Its sessions are reached at `url` with a token for each. */
export function serverHost({
  server: { leases },
  warm,
  delegation,
  url,
}: {
  readonly server: SandboxServer;
  readonly warm: () => readonly { readonly terms: { readonly kind: SandboxKind }; readonly ready: number }[];
  readonly delegation: Delegation;
  readonly url: string;
}): NodeHost {
  return {
    get taken() {
      return leases.taken;
    },
    get warm() {
      const ready: Partial<Record<SandboxKind, number>> = {};
      for (const { terms, ready: count } of warm()) ready[terms.kind] = (ready[terms.kind] ?? 0) + count;
      return ready;
    },
    get isOpen() {
      return leases.isOpen;
    },
    async lease(request, lessee) {
      // The front queues: a place that is not free now may be free elsewhere.
      const session = await leases.lease({ ...request, waitMs: 0 }, lessee);
      const direct = { url, token: delegation.sessionToken(session.id, lessee.owner) };
      const hosted = hostedBy(leases, session);
      return { ...hosted, info: { ...hosted.info, direct } };
    },
    find(id) {
      const entry = leases.list().find(({ session }) => session.id === id);
      return entry && hostedBy(leases, entry.session);
    },
    list: (owner) =>
      leases
        .list()
        .filter((entry) => owner === undefined || entry.owner === owner)
        .map(({ session }) => sessionInfo(session)),
    open: (isOpen) => leases.open(isOpen),
    onChange: (listener) => leases.onChange(listener),
  };
}

type Leases = SandboxServer['leases'];

function hostedBy(leases: Leases, session: Awaited<ReturnType<Leases['lease']>>): HostedSession {
  return { info: sessionInfo(session), ended: session.ended, release: () => leases.release(session) };
}
