import {
  type AccessToken,
  apiServer,
  createServe,
  fastifyRoute,
  listen,
  type Route,
  routes,
  ServerAccess,
  type ServerAccessOptions,
} from '@gyre/sandbox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Front, type FrontOptions } from './front.js';
import { FrontMetrics } from './metrics.js';
import { nodeOf, proxyToNode } from './proxy.js';
import { endOn, restoreOn } from './restore.js';
import { fleetRoutes } from './routes.js';

export interface FleetServerOptions extends FrontOptions, Pick<ServerAccessOptions, 'allowHosts' | 'allowOrigins'> {
  readonly tokens: readonly AccessToken[];
  /** Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Whether clients get the address of the session's node. Default: true. */
  readonly direct?: boolean | undefined;
  /** Concurrent connections and requests. Default: 4096. */
  readonly connections?: number | undefined;
}

export interface FleetServer {
  readonly url: string;
  readonly front: Front;
  close(): Promise<void>;
}

const bodyLimit = 2 ** 20;

/**
 * Serves a fleet with the API of one sandbox server. Leases are placed on nodes; calls of a session are passed on to
 * its node, which checks the owner. Throws `bad_input`, and `infra` if NATS or the port is not available.
 */
export async function serveFleet(options: FleetServerOptions): Promise<FleetServer> {
  const { host = '127.0.0.1', port = 0, direct = true, connections = 4_096, ...rest } = options;
  const access = new ServerAccess({ ...rest, host, anonymous: 'nothing' });
  const front = await Front.join(options);
  const metrics = new FrontMetrics(front);
  const app = await apiServer(access, {
    title: 'gyre fleet',
    bodyLimit,
    connectionLimits: { connections, perAddress: connections },
    intakeLimits: { requestsPerToken: connections },
  });

  const { serve } = createServe(app, access);
  const places = () => [...front.members.nodes].map(({ load }) => load);
  serve(routes.service.health, () => ({
    ok: places().some(({ draining }) => !draining),
    sessions: places().reduce((sum, { taken }) => sum + taken, 0),
  }));
  serve(routes.service.metrics, async (_, reply) => reply.type('text/plain; version=0.0.4').send(await metrics.text()));
  serve(routes.service.openapi, () => app.swagger());
  serve(routes.sessions.lease, async (request, reply) => {
    const begin = performance.now();
    const { kind } = request.body;
    try {
      const placed = await front.lease(request.body, lesseeOf(access, request, reply));
      // A client that has left does not know its session.
      reply.raw.once('close', () => {
        if (reply.raw.writableFinished) return placed.keep();
        metrics.reclaimed('client_left');
        placed.cancel();
      });
      metrics.leased(kind, 'leased', performance.now() - begin);
      const { direct: address, ...info } = placed.session;
      return direct ? { ...info, direct: address } : info;
    } catch (error) {
      metrics.leased(kind, 'refused', performance.now() - begin);
      throw error;
    }
  });
  serve(routes.sessions.list, (request) => {
    const asker = access.bearer(request);
    return front.list(asker?.scope === 'operate' ? asker.name : undefined);
  });
  serve(fleetRoutes.nodes, () =>
    [...front.members.nodes].map(({ record: { instance, offer }, load }) => {
      const { url, kinds, labels, capacity } = offer;
      return { node: instance, url, kinds, labels, capacity, ...load };
    }),
  );
  const drain = async (node: string, on: boolean): Promise<void> => {
    await front.drain(node, on);
    metrics.drained(on);
  };
  serve(fleetRoutes.drain, ({ params }) => drain(params.node, true));
  serve(fleetRoutes.resume, ({ params }) => drain(params.node, false));
  serve(routes.checkpoints.restore, (request, reply) => {
    const { checkpoint, ttlMs, waitMs, labels } = request.body;
    const lessee = lesseeOf(access, request, reply);
    const body = { checkpoint, ttlMs, labels };
    return front.place({ kind: checkpoint.terms.kind, waitMs, labels }, lessee, {
      start: (node) => restoreOn(node, body, lessee),
      end: (node, session) => endOn(node, session, lessee.owner),
    });
  });

  // Upgrade handlers belong to the WebSocket plugin.
  void app.register((scope, _, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));
    // The node parses and checks.
    scope.setValidatorCompiler(() => () => true);
    const groups: Readonly<Record<string, Route>>[] = Object.values(routes);
    for (const declared of groups.flatMap((group) => Object.values(group))) {
      const { method, path } = declared;
      if (!path.includes('/:id')) continue;
      const settings = fastifyRoute(access, declared);
      const foreign = path.endsWith('/*') && path !== routes.browser.cdpJson.path;
      const isLink = path === routes.ports.follow.path;
      scope.route({
        ...settings,
        config: foreign
          ? { access: { accepts: ['*'], foreign: true, anyOrigin: isLink } }
          : { access: { ...settings.config.access, navigable: path === routes.service.view.path } },
        method: typeof method === 'string' ? method : [...method],
        url: path,
        preHandler: async (request, reply) => {
          const { id } = request.params as { id: string };
          await proxyToNode(nodeOf(front.members, id), { request, reply, access });
          return reply;
        },
        handler: () => undefined,
      });
    }
    done();
  });

  const url = await listen(app, { host, port }).catch(async (error: unknown) => {
    await front.leave();
    throw error;
  });
  return {
    url,
    front,
    async close() {
      await front.leave();
      await app.close();
    },
  };
}

/** Returns whom a request leases for, until it is disconnected. */
function lesseeOf(
  access: ServerAccess,
  request: FastifyRequest,
  reply: FastifyReply,
): { owner: string; signal: AbortSignal } {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { owner: access.bearer(request)?.name ?? '', signal: gone.signal };
}
