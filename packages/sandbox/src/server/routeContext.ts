import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AnySession, Sandbox, SandboxLease } from '../lease/sandbox.js';
import type { SessionInfo } from '../wire/session.js';
import type { ServerAccess } from './access/access.js';
import type { LeaseCallOptions } from './leasing.js';
import type { AllowList } from './allowList.js';
import type { Serve, ServeSocket } from './serve.js';
import type { Bearer } from './tokens.js';

export type SessionRequest = FastifyRequest<{ Params: { id: string } }>;

export interface RouteContext {
  readonly app: FastifyInstance;
  readonly access: ServerAccess;
  readonly serve: Serve;
  readonly serveSocket: ServeSocket;
  readonly sandbox: Sandbox;
  readonly allowList: AllowList;
  /** Valid after `access` admitted the request. */
  readonly bearer: (request: FastifyRequest) => Bearer | undefined;
  /** Throws if the request may not use it. */
  readonly session: (request: SessionRequest) => AnySession;
  /** Throws if the request may not view it. */
  readonly viewable: (request: SessionRequest) => AnySession;
  /** Ignores ownership. */
  readonly find: (id: string) => AnySession | undefined;
  readonly listed: (request: FastifyRequest) => AnySession[];
  /** Leases within the token's quotas. */
  readonly admit: (
    request: FastifyRequest,
    reply: FastifyReply,
    claim: Pick<SandboxLease, 'kind' | 'waitMs'>,
    lease: (more: LeaseCallOptions) => Promise<AnySession>,
  ) => Promise<SessionInfo>;
  readonly release: (session: AnySession) => Promise<void>;
}
