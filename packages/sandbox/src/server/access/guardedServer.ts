import Fastify, { type FastifyInstance } from 'fastify';
import { type ConnectionLimits, guardConnections, serverOptions } from '../connections.js';
import type { ServerAccess } from './access.js';

export interface GuardedServerOptions {
  /** Bytes of a body. */
  readonly bodyLimit: number;
  readonly connectionLimits?: ConnectionLimits | undefined;
}

/** Makes a server whose requests `access` guards and whose connections are bounded. Throws `bad_input` for limits that are none. */
export function guardedServer(
  access: ServerAccess,
  { bodyLimit, connectionLimits }: GuardedServerOptions,
): FastifyInstance {
  const app = Fastify({ bodyLimit, forceCloseConnections: true, ...serverOptions(connectionLimits) });
  guardConnections(app.server, connectionLimits);
  access.guard(app);
  return app;
}
