import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AnySession, Sandbox, SandboxLease } from '../lease/sandbox.js';
import type { SessionInfo } from '../wire/session.js';
import type { ServerAccess } from './access/access.js';
import type { Leasing } from './leasing.js';
import type { Reach } from './reach.js';
import type { Serve, ServeSocket } from './serve.js';
import type { Bearer } from './tokens.js';

/** A request about one session. */
export type SessionRequest = FastifyRequest<{ Params: { id: string } }>;

/** The server as its files of routes see it. */
export interface RouteContext {
  readonly app: FastifyInstance;
  readonly access: ServerAccess;
  readonly serve: Serve;
  readonly serveSocket: ServeSocket;
  readonly sandbox: Sandbox;
  /** Which devices may be leased. */
  readonly reach: Reach;
  /** Returns the owner of a request's token, once `access` has let the request through. */
  readonly bearer: (request: FastifyRequest) => Bearer | undefined;
  /** Returns the session that a request may use. Throws a refusal. */
  readonly session: (request: SessionRequest) => AnySession;
  /** Returns the session that a request may look at. Throws a refusal. */
  readonly viewable: (request: SessionRequest) => AnySession;
  /** Returns a session whoever asks. */
  readonly find: (id: string) => AnySession | undefined;
  /** Returns the sessions that a request may look at. */
  readonly listed: (request: FastifyRequest) => AnySession[];
  /** Leases within the quotas, for the owner of a request's token. */
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    claim: Pick<SandboxLease, 'kind' | 'waitMs'>,
    lease: (more: Leasing) => Promise<AnySession>,
  ) => Promise<SessionInfo>;
  readonly release: (session: AnySession) => Promise<void>;
}
