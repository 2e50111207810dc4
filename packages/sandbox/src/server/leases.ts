import { GyreError } from '@gyre/protocol';
import { Quotas } from '../lease/quotas.js';
import type { AnySession, Sandbox } from '../lease/sandbox.js';
import type { Labels, LeaseRequest } from '../wire/lease.js';
import type { AllowList } from './allowList.js';
import { HttpRefusal } from './failures.js';
import { type SandboxRoots, type VmImages, withImage, withRoot } from './images.js';
import { type LeaseCallOptions, leaseWithinQuota } from './leasing.js';
import type { SessionLogStore } from './logRoutes.js';
import type { LeaseTerms } from './routeContext.js';

export interface OwnedSession {
  readonly session: AnySession;
  readonly owner: string;
}

/** Owner of a future session. */
export interface Lessee {
  readonly owner: string;
  /** Aborts when the lessee disappears. */
  readonly signal: AbortSignal;
}

export interface LeasesOptions {
  readonly sandbox: Sandbox;
  readonly maxSessions: number;
  readonly maxPerToken: number;
  readonly allowList: AllowList;
  readonly images: VmImages;
  readonly roots: SandboxRoots;
  readonly labels: Labels;
  readonly logs: SessionLogStore;
}

/** The leases of a server, by owner. */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #quotas: Quotas;
  readonly #sessions = new Map<string, OwnedSession>();
  readonly #listeners: (() => void)[] = [];
  #open = true;
  #closed = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.#quotas = new Quotas({ sessions: options.maxSessions, perOwner: options.maxPerToken });
  }

  get maxSessions(): number {
    return this.#options.maxSessions;
  }

  /** Places in use, those of starting and ending sessions included. */
  get taken(): number {
    return this.#quotas.taken;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Whether it takes new leases. Changed by `open`. */
  get isOpen(): boolean {
    return this.#open && !this.#closed;
  }

  find(id: string): OwnedSession | undefined {
    return this.#sessions.get(id);
  }

  list(): OwnedSession[] {
    return [...this.#sessions.values()];
  }

  /** Calls `listener` when a place is taken or free, or `open` changes. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  keep(session: AnySession, owner: string): void {
    this.#sessions.set(session.id, { session, owner });
    this.#options.logs.keep(session, owner);
    void session.broken.then(() => this.#sessions.delete(session.id));
    void session.ended.then(() => this.#sessions.delete(session.id));
  }

  /** Leases what a client asks for. Throws the errors of `Sandbox.lease`, and `HttpRefusal` if it drains. */
  lease(request: LeaseRequest, lessee: Lessee): Promise<AnySession> {
    const { sandbox, allowList, images, roots } = this.#options;
    const { labels, ...plain } = request;
    const terms = withRoot(withImage(plain, images), roots);
    allowList.check(terms);
    return this.admit({ kind: terms.kind, waitMs: terms.waitMs, labels }, lessee, (more) =>
      sandbox.lease({ ...terms, ...more }),
    );
  }

  /** Leases within the owner's quotas. */
  async admit(
    { kind, waitMs, labels = {} }: LeaseTerms,
    { owner, signal }: Lessee,
    lease: (more: LeaseCallOptions) => Promise<AnySession>,
  ): Promise<AnySession> {
    this.#checkOpen();
    this.#checkLabels(labels);
    try {
      const session = await leaseWithinQuota(this.#quotas, { kind, owner }, { waitMs, signal }, lease);
      void session.ended.then(() => this.#changed());
      if (!this.isOpen) {
        await session.release();
        this.#checkOpen();
      }
      this.keep(session, owner);
      return session;
    } finally {
      this.#changed();
    }
  }

  async release(session: AnySession): Promise<void> {
    this.#sessions.delete(session.id);
    await session.release();
  }

  /** Stops or resumes taking leases. Sessions continue. */
  open(isOpen: boolean): void {
    this.#open = isOpen;
    this.#changed();
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#quotas.close(
      new GyreError('infra', 'the server is shutting down', { part: 'lease', fix: 'use another server' }),
    );
    await Promise.all(this.list().map(({ session }) => session.release()));
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #checkOpen(): void {
    if (this.#closed) throw new HttpRefusal(503, 'the server is shutting down', 'use another server');
    if (!this.#open) throw new HttpRefusal(503, 'the server is draining', 'use another server');
  }

  #checkLabels(required: Labels): void {
    const { labels } = this.#options;
    const missing = Object.entries(required).find(([name, value]) => labels[name] !== value);
    if (!missing) return;
    throw new GyreError('bad_input', `this server does not have the label ${missing.join('=')}`, {
      field: 'labels',
      fix: 'omit the label, or lease from a server that was started with --label',
    });
  }
}
