import { GyreError } from '@gyre/protocol';
import Fastify, { type FastifyInstance } from 'fastify';
import { type ConnectionLimits, guardConnections, serverOptions } from '../connections.js';
import type { ServerAccess } from './access.js';
import { traceRequests } from './traceRequests.js';

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
  traceRequests(app);
  return app;
}

/**
 * Listens, and returns the address without a trailing slash. Throws `infra` if it cannot, after it has closed the
 * server.
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    throw new GyreError('infra', `cannot listen on ${host}:${port}: ${(cause as Error).message}`, {
      part: 'network',
      field: 'port',
      fix: 'use another host or port, or port 0 for any free one',
      cause,
    });
  }
}
