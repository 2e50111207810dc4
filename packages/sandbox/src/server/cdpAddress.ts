import { randomBytes, timingSafeEqual } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServerAccess } from './access/access.js';
import type { CdpEndpoint } from '../browser/cdp/endpoint.js';
import type { BrowserSurface } from '../lease/session.js';
import { HttpRefusal } from './failures.js';
import { proxyUpgrade } from './reverseProxy.js';

/** The secret path replaces a header. */
export class CdpAddress {
  readonly #browser: BrowserSurface;
  readonly #secret = randomBytes(24).toString('base64url');
  #opened: Promise<CdpEndpoint> | undefined;

  constructor(browser: BrowserSurface) {
    this.#browser = browser;
  }

  async urlFor(host: string): Promise<string> {
    await this.endpoint();
    return `ws://${host}/cdp/${this.#secret}`;
  }

  isNamedBy(secret: string): boolean {
    const [received, expected] = [Buffer.from(secret), Buffer.from(this.#secret)];
    return received.length === expected.length && timingSafeEqual(received, expected);
  }

  /** Opened for the first client. */
  endpoint(): Promise<CdpEndpoint> {
    this.#opened ??= this.#browser.cdp().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.close();
  }
}

export async function addCdpAddress(
  app: FastifyInstance,
  access: ServerAccess,
  served: () => Promise<CdpAddress | undefined>,
): Promise<void> {
  await app.register(websocket, { options: { maxPayload: 4096 } });
  const named = async (request: FastifyRequest): Promise<CdpAddress> => {
    const address = await served();
    if (address?.isNamedBy((request.params as { secret: string }).secret)) return address;
    throw new HttpRefusal(404, 'there is no such address', 'use the cdp_url of /v1/browser/info');
  };
  app.get(
    '/cdp/:secret',
    {
      onRequest: access.open,
      // See `cdpRoutes`.
      preHandler: async (request, reply) => {
        const address = await named(request);
        if (!request.ws) return;
        const { host, hostname, port, pathname } = new URL((await address.endpoint()).url);
        await proxyUpgrade(request, reply, { connect: () => dial(Number(port), hostname), host, path: pathname });
      },
    },
    () => {
      throw new HttpRefusal(426, 'this address is a WebSocket', 'connect a CDP client');
    },
  );
  app.get('/cdp/:secret/json/*', { onRequest: access.open }, async (request) => {
    const address = await named(request);
    const { '*': place } = request.params as { '*': string };
    const response = await fetch(`${(await address.endpoint()).url.replace('ws:', 'http:')}/json/${place}`);
    const value = (await response.json()) as object;
    return 'webSocketDebuggerUrl' in value
      ? { ...value, webSocketDebuggerUrl: await address.urlFor(request.host) }
      : value;
  });
}

function dial(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket)).once('error', reject);
  });
}
