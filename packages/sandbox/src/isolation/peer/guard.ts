import { GyreError, type Part } from '@gyre/protocol';
import { Violation } from './violation.js';

export interface PeerName {
  readonly name: string;
  readonly part: Part;
  readonly fix: string;
}

/**
 * Shields this process from an untrusted peer. Handlers must read its bytes within `run`: an error thrown from a
 * handler would end the process with all its sessions. The first violation ends the connection; later bytes are
 * dropped.
 */
export class Guard {
  readonly #peer: PeerName;
  readonly #onBroken: (reason: GyreError) => void;
  #reason: GyreError | undefined;

  constructor(peer: PeerName, onBroken: (reason: GyreError) => void) {
    this.#peer = peer;
    this.#onBroken = onBroken;
  }

  get reason(): GyreError | undefined {
    return this.#reason;
  }

  run(read: () => void): void {
    if (this.#reason !== undefined) return;
    try {
      read();
    } catch (error) {
      this.break(error);
    }
  }

  break(error: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = peerError(error, this.#peer);
    this.#onBroken(this.#reason);
  }
}

/** Returns 'infra' for a violation, 'bug' for an error of gyre's own. */
export function peerError(error: unknown, { name, part, fix }: PeerName): GyreError {
  if (error instanceof GyreError) return error;
  if (error instanceof Violation)
    return new GyreError('infra', `${name} ${error.message}`, { part, fix, cause: error });
  return new GyreError('bug', `cannot handle a message from ${name}: ${String(error)}`, { cause: error });
}
