import { randomBytes, timingSafeEqual } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.js';
import type { CdpEndpoint } from '../cdp/endpoint.js';
import type { BrowserSurface } from '../session.js';
import { Refusal } from './failures.js';
import { passUpgrade } from './passOn.js';

/**
 * Adds routes by which CDP clients attach to a session's browser at the server's own address. Its path is a secret, so that clients need no
 * header. Returns what makes the address for a host; it throws what `browser.cdp` throws.
 */
export async function cdpAddress(
  app: FastifyInstance,
  access: Access,
  browser: BrowserSurface,
): Promise<{ at: (host: string) => Promise<string>; close: () => Promise<void> }> {
  await app.register(websocket, { options: { maxPayload: 4096 } });
  const secret = randomBytes(24).toString('base64url');
  let opened: Promise<CdpEndpoint> | undefined;
  const endpoint = (): Promise<CdpEndpoint> => {
    opened ??= browser.cdp().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  const check = (request: FastifyRequest) => {
    const given = Buffer.from((request.params as { secret: string }).secret);
    const right = Buffer.from(secret);
    if (given.length === right.length && timingSafeEqual(given, right)) return;
    throw new Refusal(404, 'there is no such address', 'use the cdp_url of /v1/browser/info');
  };
  const at = (host: string) => `ws://${host}/cdp/${secret}`;

  app.get(
    '/cdp/:secret',
    {
      onRequest: access.open,
      // See `cdpRoutes`: handlers of upgrades are the plugin's.
      preHandler: async (request, reply) => {
        check(request);
        if (!request.ws) return;
        const { host, hostname, port, pathname } = new URL((await endpoint()).url);
        await passUpgrade(request, reply, { connect: () => dial(Number(port), hostname), host, path: pathname });
      },
    },
    () => {
      throw new Refusal(426, 'this is a WebSocket', 'connect a CDP client');
    },
  );
  app.get('/cdp/:secret/json/*', { onRequest: access.open }, async (request) => {
    check(request);
    const { '*': place } = request.params as { '*': string };
    const response = await fetch(`${(await endpoint()).url.replace('ws:', 'http:')}/json/${place}`);
    const value = (await response.json()) as object;
    return 'webSocketDebuggerUrl' in value ? { ...value, webSocketDebuggerUrl: at(request.host) } : value;
  });
  return {
    at: async (host) => {
      await endpoint();
      return at(host);
    },
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

function dial(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket)).once('error', reject);
  });
}
