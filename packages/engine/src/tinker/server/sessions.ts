import { randomUUID } from 'node:crypto';
import { HttpError } from './httpError.js';

export type Metadata = Readonly<Record<string, unknown>>;

interface Session {
  readonly metadata: Metadata | undefined;
  lastBeat: number;
  isFinished: boolean;
}

const mostSessions = 1_000;

/** Clients that send heartbeats. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #timeoutMs: number;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Forgets the oldest session without heartbeats if there are too many. */
  create(metadata?: Metadata): string {
    const id = randomUUID();
    this.#sessions.set(id, { metadata, lastBeat: performance.now(), isFinished: false });
    if (this.#sessions.size <= mostSessions) return id;
    for (const oldest of this.#sessions.keys()) {
      if (this.isAlive(oldest)) continue;
      this.#sessions.delete(oldest);
      break;
    }
    return id;
  }

  /**
   * Returns the session, which need not send heartbeats any more.
   *
   * @throws HttpError 404 for an unknown session.
   */
  require(id: string): { readonly metadata: Metadata | undefined } {
    const session = this.#sessions.get(id);
    if (!session) throw new HttpError(404, `session_id: there is no session ${id}`, 'session_id');
    return session;
  }

  /** @throws HttpError 404 for an unknown session, and 410 for a finished one. */
  beat(id: string): void {
    this.require(id);
    const session = this.#sessions.get(id)!;
    if (session.isFinished) throw new HttpError(410, `session_id: the session ${id} is finished`, 'session_id');
    session.lastBeat = performance.now();
  }

  /** @throws HttpError 404 for an unknown session. */
  finish(id: string): void {
    this.require(id);
    this.#sessions.get(id)!.isFinished = true;
  }

  isAlive(id: string): boolean {
    return this.silentMs(id) < this.#timeoutMs;
  }

  /** Returns the time since the last heartbeat: Infinity for a finished or unknown session. */
  silentMs(id: string): number {
    const session = this.#sessions.get(id);
    return session && !session.isFinished ? performance.now() - session.lastBeat : Infinity;
  }

  ids(): string[] {
    return [...this.#sessions.keys()];
  }
}
