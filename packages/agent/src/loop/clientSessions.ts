import type { Machines, SandboxClient, Session, SessionNeeds } from '@gyre/sandbox';

export interface ClientSessionsOptions {
  readonly client: SandboxClient;
  /** In ms. */
  readonly stepMs?: number | undefined;
}

/** Longest wait of one lease that servers allow, in ms. */
const waitMs = 600_000;

/** Silence after which a server ends the session of a dead worker, in ms. A decision must be shorter. */
const ttlMs = 600_000;

/** Leases pages and machines from a sandbox server or a fleet. */
export class ClientSessions implements Machines {
  readonly #options: ClientSessionsOptions;

  constructor(options: ClientSessionsOptions) {
    this.#options = options;
  }

  lease({ size, machine }: SessionNeeds): Promise<Session> {
    const { client, stepMs } = this.#options;
    const kind = machine ?? 'browser';
    return client.lease({ kind, size, waitMs, ttlMs, ...(kind === 'browser' && { stepMs }) });
  }
}
