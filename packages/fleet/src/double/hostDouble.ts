import { QuotaReached, type SessionInfo } from '@gyre/sandbox';
import type { HostedSession, NodeHost } from '../node/host.js';

/** A double of a machine's leases: sessions are entries of a map. Everything that a fleet sees of it is real. */
export class HostDouble implements NodeHost {
  readonly #instance: string;
  readonly #capacity: number;
  readonly #startMs: number;
  readonly #sessions = new Map<
    string,
    { readonly owner: string; readonly end: () => void; readonly ended: Promise<void> }
  >();
  readonly #listeners: (() => void)[] = [];
  readonly warm = {};
  isOpen = true;
  #starting = 0;
  #count = 0;

  /** @param startMs time that a machine takes to start. */
  constructor(instance: string, capacity: number, startMs = 0) {
    this.#instance = instance;
    this.#capacity = capacity;
    this.#startMs = startMs;
  }

  get taken(): number {
    return this.#sessions.size + this.#starting;
  }

  get ids(): string[] {
    return [...this.#sessions.keys()];
  }

  async lease(
    { kind }: Parameters<NodeHost['lease']>[0],
    { owner, signal }: Parameters<NodeHost['lease']>[1],
  ): Promise<HostedSession> {
    if (this.taken >= this.#capacity) throw new QuotaReached('sessions', this.#capacity);
    this.#starting++;
    this.#changed();
    try {
      if (this.#startMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#startMs));
      else await Promise.resolve();
      signal.throwIfAborted();
    } finally {
      this.#starting--;
    }
    const id = `${this.#instance}-${++this.#count}`;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.#sessions.set(id, { owner, end, ended });
    return { info: this.#info(id, kind), ended, release: () => Promise.resolve(this.release(id)) };
  }

  find(id: string): HostedSession | undefined {
    const session = this.#sessions.get(id);
    const release = () => Promise.resolve(this.release(id));
    return session && { info: this.#info(id, 'shell'), ended: session.ended, release };
  }

  release(id: string): void {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.end();
    this.#changed();
  }

  list(owner: string | undefined): SessionInfo[] {
    const matching = [...this.#sessions].filter(([, session]) => owner === undefined || session.owner === owner);
    return matching.map(([id]) => this.#info(id, 'shell'));
  }

  open(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.#changed();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #info(id: string, kind: SessionInfo['kind']): SessionInfo {
    return { id, kind, state: 'leased', size: { width: 1_280, height: 720 } };
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
