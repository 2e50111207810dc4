import { GyreError, type Part } from '@gyre/protocol';
import { Violation } from './violation.js';

/** Names a peer in errors. */
export interface PeerName {
  /** Such as `the X server`. */
  readonly name: string;
  readonly part: Part;
  readonly fix: string;
}

/**
 * Stands between the bytes of an untrusted peer and this process. Everything that reads such bytes in a stream's or a library's handler
 * runs in `run`, so that nothing is thrown out of the handler, where it would end the process with all its sessions. The first violation
 * ends the connection; what comes after it is dropped.
 */
export class Guard {
  readonly #peer: PeerName;
  readonly #onBroken: (reason: GyreError) => void;
  #reason: GyreError | undefined;

  /** @param onBroken ends the connection. Called once. */
  constructor(peer: PeerName, onBroken: (reason: GyreError) => void) {
    this.#peer = peer;
    this.#onBroken = onBroken;
  }

  /** Why the peer is no longer heard; undefined while it is. */
  get reason(): GyreError | undefined {
    return this.#reason;
  }

  /** Runs what reads bytes of the peer. Does nothing once the connection is broken. */
  run(read: () => void): void {
    if (this.#reason !== undefined) return;
    try {
      read();
    } catch (error) {
      this.break(error);
    }
  }

  /** Ends the connection: `infra` for a violation, `bug` for an error of ours. */
  break(error: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = reasonFor(error, this.#peer);
    this.#onBroken(this.#reason);
  }
}

/** The error that a connection ends with: `infra` for a violation of the peer, `bug` for what gyre itself has thrown. */
export function reasonFor(error: unknown, { name, part, fix }: PeerName): GyreError {
  if (error instanceof GyreError) return error;
  if (error instanceof Violation)
    return new GyreError('infra', `${name} ${error.message}`, { part, fix, cause: error });
  return new GyreError('bug', `what ${name} sent was not handled: ${String(error)}`, { cause: error });
}
