import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AnySession, Sandbox, SandboxLease } from '../lease/sandbox.js';
import type { LeaseRequest } from '../wire/lease.js';
import type { ServerAccess } from './access/access.js';
import type { Leases, Lessee } from './leases.js';
import type { AllowList } from './allowList.js';
import type { Serve, ServeSocket } from './serve.js';
import type { Bearer } from './tokens.js';

export type SessionRequest = FastifyRequest<{ Params: { id: string } }>;

/** Terms of a lease that the server itself checks. */
export type LeaseTerms = Pick<SandboxLease, 'kind' | 'waitMs'> & Pick<LeaseRequest, 'labels'>;

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
  readonly listed: (request: FastifyRequest) => AnySession[];
  readonly leases: Leases;
  /** Returns whom a request leases for, until it is disconnected. */
  readonly lesseeOf: (request: FastifyRequest, reply: FastifyReply) => Lessee;
}
