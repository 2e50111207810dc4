import { connect, type Socket } from 'node:net';
import { GyreError } from '@gyre/protocol';
import type { CdpEndpoint } from '../browser/cdp/endpoint.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { delegatedHeaders } from './access/delegation.js';
import { HttpRefusal } from './failures.js';
import { browser as routes } from '../wire/browser.js';
import type { Json } from '../wire/json.js';
import { requireMachine } from './requireMachine.js';
import { proxyUpgrade } from './reverseProxy.js';
import type { RouteContext, SessionRequest } from './routeContext.js';
import { fastifyRoute } from './serve.js';

/** Proxies CDP clients to a session's browser. */
export function cdpRoutes({ app, access, serve, session, bearer }: RouteContext): void {
  const endpoints = new WeakMap<SandboxSession, Promise<CdpEndpoint>>();
  const endpoint = (machine: SandboxSession): Promise<CdpEndpoint> => {
    const { browser } = machine;
    if (!browser)
      throw new GyreError('bad_input', 'the session has no browser', { field: 'id', fix: 'lease one of kind browser' });
    const opened = endpoints.get(machine) ?? browser.cdp();
    endpoints.set(machine, opened);
    opened.catch(() => endpoints.delete(machine));
    return opened;
  };

  app.get(
    routes.cdp.path,
    {
      ...fastifyRoute(access, routes.cdp),
      // Handlers of upgrades belong to the WebSocket plugin, whose messages are short.
      preHandler: async (request, reply) => {
        if (!request.ws) return;
        const { host, hostname, port, pathname } = new URL(
          (await endpoint(requireMachine(session(request as SessionRequest)))).url,
        );
        await proxyUpgrade(request, reply, { connect: () => dial(Number(port), hostname), host, path: pathname });
      },
    },
    () => {
      throw new HttpRefusal(
        426,
        'this address is a WebSocket',
        'connect a CDP client with the same Authorization header',
      );
    },
  );
  serve(routes.cdpJson, async (request) => {
    const { id, '*': place } = request.params;
    const { url } = await endpoint(requireMachine(session(request)));
    const response = await fetch(`${url.replace('ws:', 'http:')}/json/${place}`);
    if (!response.ok)
      throw new GyreError('infra', 'the browser has ended', { part: 'browser', fix: 'lease another session' });
    const value = (await response.json()) as Record<string, Json> | Json[];
    const protocol = request.protocol === 'https' ? 'wss' : 'ws';
    const requestedHost = bearer(request)?.front ? request.headers[delegatedHeaders.host] : undefined;
    const host = typeof requestedHost === 'string' ? requestedHost : request.host;
    const webSocketDebuggerUrl = `${protocol}://${host}/v1/sessions/${encodeURIComponent(id)}/cdp`;
    return 'webSocketDebuggerUrl' in value ? { ...value, webSocketDebuggerUrl } : value;
  });
}

function dial(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket)).once('error', reject);
  });
}
