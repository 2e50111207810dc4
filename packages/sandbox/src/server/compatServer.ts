import { GyreError } from '@gyre/protocol';
import { ServerAccess, type ServerAccessOptions } from './access/access.js';
import { guardedServer, listen } from './access/guardedServer.js';
import { aioHandler } from '../foreign/aio/server.js';
import { osworldHandler } from '../foreign/osworld/server.js';
import { osworldLease } from '../foreign/osworld/lease.js';
import type { CompatHandler } from '../foreign/served/request.js';
import { ScreenRecorder } from '../foreign/served/screenRecorder.js';
import type { MachineTerms } from '../lease/machineTerms.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { addCdpAddress, CdpAddress } from './cdpAddress.js';
import { errorReply } from './failures.js';

export const compatProtocols = ['osworld', 'aio'] as const;
export type CompatProtocol = (typeof compatProtocols)[number];

/** Expected by the clients. */
export const compatTerms: Readonly<Record<CompatProtocol, Pick<MachineTerms, 'size' | 'user' | 'files' | 'env'>>> = {
  osworld: osworldLease,
  aio: { size: { width: 1_280, height: 720 } },
};

export interface CompatServerOptions extends ServerAccessOptions {
  /** A desktop, or for `aio` a browser. CDP clients need a free clock. */
  readonly session: SandboxSession;
  /** Leases the next session on `/gyre/reset`, after the previous was released. Without it, resets are refused. */
  readonly renew?: (() => Promise<SandboxSession>) | undefined;
  readonly protocol: CompatProtocol;
  /** Default: any free port. */
  readonly port?: number;
  /** Python modules for clients' programs, readable by the session. Default: the system's. */
  readonly pythonPath?: string | undefined;
}

/** Clients upload whole files. */
const bodyLimit = 2 ** 28;

const bodyTypes = ['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'];

/**
 * Lets another sandbox's client drive a session. Throws `bad_input` for the wrong kind of session or a server exposed
 * without a token, and `infra` if the port is taken. Clients may send the token as password: `gyre:TOKEN@host`.
 */
export async function serveCompat(options: CompatServerOptions): Promise<{ url: string; close(): Promise<void> }> {
  const { session, renew, protocol, host = '127.0.0.1', port = 0, pythonPath } = options;
  let served = Promise.resolve(new ServedSession(session, protocol, pythonPath));
  const access = new ServerAccess(options);
  const app = guardedServer(access, { bodyLimit });
  if (protocol === 'aio') await addCdpAddress(app, access, async () => (await served).cdp);
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = errorReply(error);
    return reply.status(status).send({ ...body, status: 'error', message: body.error.message });
  });
  // The handler parses any type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const taken = { access: { accepts: bodyTypes } };
  app.post('/gyre/reset', { onRequest: access.may('operate') }, async () => {
    if (!renew) {
      throw new GyreError('missing', 'the server has only one session and cannot lease another', {
        field: 'renew',
        fix: 'start it with gyre serve sandbox --compat, or pass renew to serveCompat',
      });
    }
    const before = served;
    served = (async () => {
      const old = await before.catch(() => undefined);
      await old?.release();
      return new ServedSession(await renew(), protocol, pythonPath);
    })();
    await served;
    return { status: 'success' };
  });
  app.all('/*', { onRequest: access.may('operate'), config: taken }, async (request, reply) => {
    const { answer } = await served;
    const { pathname, searchParams } = new URL(request.url, 'http://gyre.invalid');
    const { status, headers, body } = await answer({
      method: request.method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers as Record<string, string | undefined>,
      body: Buffer.isBuffer(request.body) ? request.body : undefined,
    });
    return reply.status(status).headers(headers).send(Buffer.from(body));
  });
  const url = await listen(app, { host, port });
  return {
    url,
    close: async () => {
      await app.close();
      await (await served.catch(() => undefined))?.close();
    },
  };
}

class ServedSession {
  readonly answer: CompatHandler;
  readonly cdp: CdpAddress | undefined;
  readonly #session: SandboxSession;
  readonly #closing: (() => Promise<void>)[] = [];

  constructor(session: SandboxSession, protocol: CompatProtocol, pythonPath: string | undefined) {
    const { desktop, browser } = session;
    this.#session = session;
    if (protocol === 'aio' && browser) {
      this.cdp = new CdpAddress(browser);
      this.#closing.push(() => this.cdp!.close());
    } else if (!desktop) {
      throw new GyreError('bad_input', `clients of ${protocol} need a desktop`, {
        field: 'session',
        fix: 'lease one of kind desktop',
      });
    }
    this.answer = protocol === 'aio' ? this.#aio() : this.#osworld(desktop!, pythonPath);
  }

  /** Ends recording and clients, not the session. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#closing.map((work) => work()));
  }

  async release(): Promise<void> {
    await this.close();
    await this.#session.release();
  }

  #osworld(desktop: NonNullable<SandboxSession['desktop']>, pythonPath: string | undefined): CompatHandler {
    const { shell, files, home } = this.#session;
    const recorder = new ScreenRecorder((options) => this.#session.record(options));
    this.#closing.push(() => recorder.close());
    return osworldHandler({ desktop, shell, files, recorder, home, pythonPath });
  }

  #aio(): CompatHandler {
    const { cdp } = this;
    const { desktop, browser, screen, shell, files, home, tools } = this.#session;
    return aioHandler({
      ...{ shell, files, home, tools },
      desktop: desktop ?? screen,
      browser,
      cdpUrl: cdp && ((host) => cdp.urlFor(host)),
      record: (terms) => this.#session.record(terms),
      mcp: async () => (await import('../tools/mcpServer.js')).createMcpServer(this.#session),
      onClose: (work) => void this.#closing.push(work),
    });
  }
}
