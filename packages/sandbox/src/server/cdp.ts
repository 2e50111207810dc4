import { connect, type Socket } from 'node:net';
import { GyreError } from '@gyre/protocol';
import type { CdpEndpoint } from '../browser/cdp/endpoint.js';
import type { SandboxSession } from '../lease/sandboxSession.js';
import { Refusal } from './failures.js';
import { machineOf } from './machineOf.js';
import { passUpgrade } from './passOn.js';
import type { Routes } from './routes.js';
import { CdpParams, SessionParams } from './wire.js';

/** Chrome DevTools Protocol of a session's browser, for those who may operate it. */
export function cdpRoutes({ app, may, of }: Routes): void {
  const endpoints = new WeakMap<SandboxSession, Promise<CdpEndpoint>>();
  const endpoint = (session: SandboxSession): Promise<CdpEndpoint> => {
    const { browser } = session;
    if (!browser)
      throw new GyreError('bad_input', 'the session has no browser', { field: 'id', fix: 'lease one of kind browser' });
    const opened = endpoints.get(session) ?? browser.cdp();
    endpoints.set(session, opened);
    opened.catch(() => endpoints.delete(session));
    return opened;
  };

  app.get<{ Params: { id: string } }>(
    '/v1/sessions/:id/cdp',
    {
      onRequest: may('operate'),
      schema: {
        params: SessionParams,
        description:
          'A WebSocket for clients of the Chrome DevTools Protocol, which see this session alone. Free clock only.',
      },
      // Not a handler: those of upgrades are the WebSocket plugin's, and its messages are short.
      preHandler: async (request, reply) => {
        if (!request.ws) return;
        const { host, hostname, port, pathname } = new URL((await endpoint(machineOf(of(request)))).url);
        await passUpgrade(request, reply, { connect: () => dial(Number(port), hostname), host, path: pathname });
      },
    },
    () => {
      throw new Refusal(426, 'this is a WebSocket', 'connect a CDP client with the same Authorization header');
    },
  );
  app.get<{ Params: CdpParams }>(
    '/v1/sessions/:id/cdp/json/*',
    {
      onRequest: may('operate'),
      schema: { params: CdpParams, description: 'What Chrome says at /json/version and /json/list, of this session.' },
    },
    async (request) => {
      const { id, '*': place } = request.params;
      const { url } = await endpoint(machineOf(of(request)));
      const said = await fetch(`${url.replace('ws:', 'http:')}/json/${place}`);
      if (!said.ok)
        throw new GyreError('infra', 'the browser has ended', { part: 'browser', fix: 'lease another session' });
      const value = (await said.json()) as object;
      const socket = request.protocol === 'https' ? 'wss' : 'ws';
      const here = `${socket}://${request.host}/v1/sessions/${encodeURIComponent(id)}/cdp`;
      return 'webSocketDebuggerUrl' in value ? { ...value, webSocketDebuggerUrl: here } : value;
    },
  );
}

function dial(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket)).once('error', reject);
  });
}
