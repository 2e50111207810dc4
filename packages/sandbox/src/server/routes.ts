import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RawServerDefault,
  onRequestHookHandler,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Sandbox, SandboxLease, AnySession } from '../lease/sandbox.js';
import type { Leasing } from './leasing.js';
import type { Reach } from './reach.js';
import type { Bearer, Scope } from './tokens.js';
import type { SessionInfo } from './wire.js';

/** A request about one session. */
export type OfSession = FastifyRequest<{ Params: { id: string } }>;

/** What a file of routes needs of the server that it is part of. */
export interface Routes {
  readonly app: FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>;
  readonly sandbox: Sandbox;
  /** Which devices may be leased. */
  readonly reach: Reach;
  /** Lets nobody through whose token is not for a scope. */
  readonly may: (wanted: Scope) => onRequestHookHandler;
  /** Lets everyone through. */
  readonly open: onRequestHookHandler;
  /** Whose token a request bears, once `may` has let it through. */
  readonly bearer: (request: FastifyRequest) => Bearer | undefined;
  /** The session of a request, if its bearer may use it. Throws a refusal. */
  readonly of: (request: OfSession) => AnySession;
  /** The session of a request, if its bearer may look at it. Throws a refusal. */
  readonly seen: (request: OfSession) => AnySession;
  /** The session of an id, whoever asks. */
  readonly find: (id: string) => AnySession | undefined;
  /** Those that the bearer may look at. */
  readonly listed: (request: FastifyRequest) => AnySession[];
  /** Leases by a function for whoever makes a request, within the quotas, and keeps the session for him. */
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    wanted: Pick<SandboxLease, 'kind' | 'waitMs'>,
    lease: (more: Leasing) => Promise<AnySession>,
  ) => Promise<SessionInfo>;
  /** Ends a session that is kept. */
  readonly release: (session: AnySession) => Promise<void>;
}
