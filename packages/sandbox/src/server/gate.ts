import type { FastifyRequest } from 'fastify';
import type { SandboxSession } from '../sandbox.js';
import type { Scope } from './tokens.js';

/** A request about one session. */
export type OfSession = FastifyRequest<{ Params: { id: string } }>;

/** Who may do what, for the routes of a server. */
export interface Gate {
  /** Refuses requests without a token of this scope, or a higher one. */
  may(wanted: Scope): (request: FastifyRequest, _: unknown, done: (error?: Error) => void) => void;
  /** The session of a request, if its bearer has leased it, or may look at all. Throws `Refusal`. */
  of(request: OfSession): SandboxSession;
  /** The session of an id, whoever asks. */
  find(id: string): SandboxSession | undefined;
}
