import Fastify from 'fastify';
import { GyreError } from '@gyre/protocol';
import { aioHandler } from '../compat/aio.js';
import { osworldHandler } from '../compat/osworld.js';
import type { SandboxSession } from '../sandboxSession.js';
import { guardConnections, portTaken, serverOptions } from './connections.js';

/** Protocols of other sandboxes whose clients can drive a session. */
export const compatProtocols = { osworld: osworldHandler, aio: aioHandler } as const;
export type CompatProtocol = keyof typeof compatProtocols;

export interface CompatServerOptions {
  /** Of kind `desktop`. */
  readonly session: SandboxSession;
  readonly protocol: CompatProtocol;
  /** Default 127.0.0.1: such clients send no token, so whoever reaches the port has the machine. */
  readonly host?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
}

/** Bytes of a request: clients upload files in one. */
const bodyLimit = 2 ** 28;

/**
 * Lets a client that was written for another sandbox drive one desktop session. Throws `bad_input` for a session without a desktop,
 * and `infra` where the port cannot be had.
 */
export async function serveCompat(options: CompatServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { session, protocol, host = '127.0.0.1', port = 0 } = options;
  const { desktop, shell, files, home } = session;
  if (!desktop) {
    throw new GyreError('bad_input', `clients of ${protocol} need a desktop`, {
      field: 'session',
      fix: 'lease one of kind desktop',
    });
  }
  const answer = compatProtocols[protocol]({ desktop, shell, files, home });
  const app = Fastify({ bodyLimit, forceCloseConnections: true, ...serverOptions() });
  guardConnections(app.server);
  // Whatever its type, the handler reads the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.all('/*', async (request, reply) => {
    const { pathname, searchParams } = new URL(request.url, 'http://gyre.invalid');
    const { status, headers, body } = await answer({
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers as Record<string, string | undefined>,
      ...(Buffer.isBuffer(request.body) && { body: request.body }),
    });
    return reply.status(status).headers(headers).send(Buffer.from(body));
  });
  const url = await app.listen({ host, port }).catch(async (cause: unknown) => {
    await app.close();
    throw portTaken(host, port, cause);
  });
  return { url, close: () => app.close() };
}
