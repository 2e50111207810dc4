import { GyreError } from '@gyre/protocol';
import { Access, type AccessOptions } from '../access/access.js';
import { guardedServer } from '../access/guardedServer.js';
import { aioHandler } from '../compat/aio.js';
import { osworldHandler } from '../compat/osworld.js';
import type { CompatHandler } from '../compat/request.js';
import type { SandboxSession } from '../sandboxSession.js';
import { cdpAddress } from './cdpAddress.js';
import { portTaken } from './connections.js';
import { answerTo } from './failures.js';

/** Protocols of other sandboxes whose clients can drive a session. */
export const compatProtocols = ['osworld', 'aio'] as const;
export type CompatProtocol = (typeof compatProtocols)[number];

export interface CompatServerOptions extends AccessOptions {
  /** Of kind `desktop`; for `aio` of kind `browser`, too. On a free clock, CDP clients can attach to a browser. */
  readonly session: SandboxSession;
  readonly protocol: CompatProtocol;
  /** Default 0: any that is free. */
  readonly port?: number;
  /** A folder of Python modules that clients' programs import, which the session can read. Default: the system's alone. */
  readonly pythonPath?: string | undefined;
}

/** Bytes of a request: clients upload files in one. */
const bodyLimit = 2 ** 28;

/** What clients send: JSON, and the forms in which they upload and name files. */
const bodyTypes = ['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'];

/**
 * Lets a client that was written for another sandbox drive one session. Throws `bad_input` for a session whose kind the protocol does not
 * take, `bad_input` for a server that other machines would reach without a token, and `infra` where the port cannot be had. Clients that
 * know no tokens send one as the password of an address: `gyre:TOKEN@host`.
 */
export async function serveCompat(options: CompatServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { session, protocol, host = '127.0.0.1', port = 0, pythonPath } = options;
  const { desktop, browser, shell, files, home } = session;
  if (!desktop && !(browser && protocol === 'aio')) {
    throw new GyreError('bad_input', `clients of ${protocol} need a desktop`, {
      field: 'session',
      fix: 'lease one of kind desktop',
    });
  }
  const access = new Access(options);
  const app = guardedServer(access, { bodyLimit });
  const closing: (() => Promise<void>)[] = [];
  const handler = async (): Promise<CompatHandler> => {
    if (protocol === 'osworld') return osworldHandler({ desktop: desktop!, shell, files, home, pythonPath });
    const cdp = browser && (await cdpAddress(app, access, browser));
    if (cdp) closing.push(cdp.close);
    return aioHandler({
      shell,
      files,
      home,
      tools: session.tools,
      desktop: desktop ?? session.screen,
      ...(browser && { browser }),
      ...(cdp && { cdpUrl: cdp.at }),
      record: (terms) => session.record(terms),
      mcp: async () => (await import('../tools/offer.js')).offer(session),
      onClose: (work) => void closing.push(work),
    });
  };
  const answer = await handler();
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = answerTo(error);
    return reply.status(status).send({ ...body, status: 'error', message: body.error.message });
  });
  // Whatever its type, the handler reads the body.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const taken = { access: { accepts: bodyTypes } };
  app.all('/*', { onRequest: access.may('operate'), config: taken }, async (request, reply) => {
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
  const close = async () => {
    await Promise.allSettled(closing.map((work) => work()));
    await app.close();
  };
  return { url, close };
}
