import type { Machines, SandboxClient, Session, SessionNeeds } from '@gyre/sandbox';

export interface ClientSessionsOptions {
  readonly client: SandboxClient;
  /** In ms. */
  readonly stepMs?: number | undefined;
  /** Silence after which a server ends the session of a dead worker, in ms. Default: 2 minutes. */
  readonly ttlMs?: number;
}

/** Longest wait of one lease that servers allow, in ms. */
const waitMs = 600_000;

/** Leases pages and machines from a sandbox server or a fleet, and renews them: a decision may take longer than a lease. */
export class ClientSessions implements Machines {
  readonly #options: ClientSessionsOptions;

  constructor(options: ClientSessionsOptions) {
    this.#options = options;
  }

  async lease({ size, machine }: SessionNeeds): Promise<Session> {
    const { client, stepMs, ttlMs = 120_000 } = this.#options;
    const kind = machine ?? 'browser';
    const session = await client.lease({ kind, size, waitMs, ttlMs, ...(kind === 'browser' && { stepMs }) });
    const beat = setInterval(() => {
      if (session.state !== 'leased') clearInterval(beat);
      // The next call of the episode tells what is wrong.
      else void session.renew().catch(() => undefined);
    }, ttlMs / 4);
    beat.unref();
    return session;
  }
}
