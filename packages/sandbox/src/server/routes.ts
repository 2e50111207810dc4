import type { FastifyInstance, FastifyRequest, RawServerDefault, onRequestHookHandler } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Sandbox, SandboxSession } from '../sandbox.js';
import type { Bearer, Scope } from './tokens.js';

/** What a file of routes needs of the server that it is part of. */
export interface Routes {
  readonly app: FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>;
  readonly sandbox: Sandbox;
  /** Lets nobody through whose token is not for a scope. */
  readonly may: (wanted: Scope) => onRequestHookHandler;
  /** Whose token a request bears, once `may` has let it through. */
  readonly bearer: (request: FastifyRequest) => Bearer | undefined;
  /** The session of a request, if its bearer may use it, or only look. Throws a refusal. */
  readonly of: (request: FastifyRequest<{ Params: { id: string } }>, looking?: boolean) => SandboxSession;
}
