import Fastify, { type FastifyInstance } from 'fastify';
import { type ConnectionLimits, guardConnections, serverOptions } from '../connections.js';
import type { ServerAccess } from './access.js';

export interface GuardedServerOptions {
  readonly bodyLimit: number;
  readonly connectionLimits?: ConnectionLimits | undefined;
}

/** Throws `bad_input` for invalid limits. */
export function guardedServer(
  access: ServerAccess,
  { bodyLimit, connectionLimits }: GuardedServerOptions,
): FastifyInstance {
  const app = Fastify({ bodyLimit, forceCloseConnections: true, ...serverOptions(connectionLimits) });
  guardConnections(app.server, connectionLimits);
  access.guard(app);
  return app;
}
