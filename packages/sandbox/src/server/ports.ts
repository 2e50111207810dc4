import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnySession } from '../lease/sandbox.js';
import { HttpRefusal } from './failures.js';
import { ports as routes } from '../wire/ports.js';
import { requireMachine } from './requireMachine.js';
import { type ProxyTarget, proxyRequest, proxyUpgrade } from './reverseProxy.js';
import type { RouteContext, SessionRequest } from './routeContext.js';
import { fastifyRoute, type RequestTo } from './serve.js';
import { rewriteReplyHeaders } from './proxyHeaders.js';

/** Honoured by some frameworks. */
const methodOverrides = ['x-http-method-override', 'x-http-method', 'x-method-override'];

/**
 * Proxies to servers inside a session: with a token below `/ports`, or by a secret link for browsers. Links last as
 * long as the session and server. `watch` may only GET, without a body, WebSocket or link.
 *
 * @param maxRequests concurrent requests per session, including WebSockets.
 */
export function portRoutes(
  { app, access, serve, bearer, session: owned, viewable, leases }: RouteContext,
  maxRequests: number,
): void {
  const key = randomBytes(32);
  const secretOf = (id: string, port: number): string =>
    createHmac('sha256', key).update(`${id} ${port}`).digest('base64url');
  const running = new WeakMap<AnySession, number>();

  const pass = async (
    session: AnySession,
    port: number,
    { request, reply, more }: { request: FastifyRequest; reply: FastifyReply; more?: Record<string, string> },
  ) => {
    const host = `localhost:${port}`;
    // The raw URL keeps its encoding. Both kinds have five parts before the path.
    const parts = request.raw.url?.split('/') ?? [];
    const prefix = `${parts.slice(0, 6).join('/')}/`;
    const path = `/${parts.slice(6).join('/')}`;
    const target: ProxyTarget = {
      connect: () => requireMachine(session).connect(port),
      host,
      path,
      answered: (headers) => ({ ...rewriteReplyHeaders(headers, { host, path, prefix }), ...more }),
    };
    const before = running.get(session) ?? 0;
    if (before >= maxRequests)
      throw new HttpRefusal(429, `${maxRequests} requests to the session are in progress`, 'wait until one ends');
    running.set(session, before + 1);
    const over = (): unknown => running.set(session, (running.get(session) ?? 1) - 1);
    if (request.ws) request.raw.socket.once('close', over);
    else reply.raw.once('close', over);
    return request.ws ? proxyUpgrade(request, reply, target) : proxyRequest(request, reply, target);
  };

  // Upgrade handlers belong to the WebSocket plugin.
  void app.register((scope, _, done) => {
    // Bodies of any type are streamed.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));

    const passing = { accepts: ['*'], foreign: true };
    scope.route({
      ...fastifyRoute(access, routes.read),
      method: [...routes.read.method],
      url: routes.read.path,
      config: { access: passing },
      preHandler: async (request, reply) => {
        const { port } = (request as RequestTo<typeof routes.read>).params;
        if (bearer(request)?.scope === 'watch') onlyLooks(request);
        await pass(viewable(request as SessionRequest), port, { request, reply });
      },
      handler: () => undefined,
    });
    scope.route({
      ...fastifyRoute(access, routes.write),
      method: [...routes.write.method],
      url: routes.write.path,
      config: { access: passing },
      preHandler: async (request, reply) => {
        const { port } = (request as RequestTo<typeof routes.write>).params;
        await pass(owned(request as SessionRequest), port, { request, reply });
      },
      handler: () => undefined,
    });
    scope.route({
      ...fastifyRoute(access, routes.follow),
      method: [...routes.follow.method],
      url: routes.follow.path,
      // Pages inside have opaque origins, and links are followed from anywhere.
      config: { access: { ...passing, anyOrigin: true } },
      preHandler: async (request, reply) => {
        const { id, port, secret } = (request as RequestTo<typeof routes.follow>).params;
        const [received, expected] = [Buffer.from(secret), Buffer.from(secretOf(id, port))];
        const session =
          received.length === expected.length && timingSafeEqual(received, expected)
            ? leases.find(id)?.session
            : undefined;
        if (!session) throw new HttpRefusal(404, 'the link is invalid or expired', 'request another link');
        // Opaque origins need preflights.
        const more = { 'access-control-allow-origin': '*' };
        if (request.method === 'OPTIONS' && request.headers['access-control-request-method']) {
          const requestedHeaders = request.headers['access-control-request-headers'] ?? '';
          const allowed = {
            'access-control-allow-methods': routes.follow.method.join(),
            'access-control-allow-headers': requestedHeaders,
          };
          return reply
            .status(204)
            .headers({ ...more, ...allowed })
            .send();
        }
        return pass(session, port, { request, reply, more });
      },
      handler: () => undefined,
    });
    done();
  });
  serve(routes.link, (request) => {
    const { id } = requireMachine(owned(request));
    const { port } = request.body;
    return { path: `/v1/links/${id}/${port}/${secretOf(id, port)}/` };
  });
}

/** Allows only reads, and strips method overrides. */
function onlyLooks(request: FastifyRequest): void {
  const { headers } = request.raw;
  const body = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  if (request.ws || body || headers.upgrade !== undefined)
    throw new HttpRefusal(403, 'the token is for watch only, which cannot send', 'use a token for operate');
  for (const name of methodOverrides) delete headers[name];
}
