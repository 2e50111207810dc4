import type { FastifyRequest } from 'fastify';
import { ServerAccess, type ServerAccessOptions, type ClassifiedRoute } from './access/access.js';
import { listen } from './access/guardedServer.js';
import type { Sandbox, AnySession } from '../lease/sandbox.js';
import { apiServer } from './apiServer.js';
import { browserRoutes } from './browserRoutes.js';
import { cdpRoutes } from './cdp.js';
import { checkpointRoutes } from './checkpointRoutes.js';
import type { ConnectionLimits } from './connections.js';
import { controlRoutes } from './controlRoutes.js';
import { desktopRoutes } from './desktopRoutes.js';
import { deviceRoutes } from './deviceRoutes.js';
import { eventRoutes } from './eventRoutes.js';
import { HttpRefusal } from './failures.js';
import { fileRoutes } from './fileRoutes.js';
import { frameRoutes } from './frameRoutes.js';
import type { SandboxRoots, VmImages } from './images.js';
import type { IntakeLimits } from './intake.js';
import { Leases } from './leases.js';
import { SessionLogStore, logRoutes } from './logRoutes.js';
import { Metrics } from './metrics.js';
import { portRoutes } from './ports.js';
import { AllowList } from './allowList.js';
import { recordingRoutes } from './recordingRoutes.js';
import type { Labels } from '../wire/lease.js';
import { service } from '../wire/service.js';
import type { RouteContext, SessionRequest } from './routeContext.js';
import { createServe } from './serve.js';
import { sessionRoutes } from './sessionRoutes.js';
import { shellRoutes } from './shellRoutes.js';
import type { TokenScope, AccessToken } from './tokens.js';
import { toolRoutes } from './toolRoutes.js';
import { viewRoutes } from './viewRoutes.js';

export interface ServerOptions extends Pick<ServerAccessOptions, 'allowHosts' | 'allowOrigins' | 'delegation'> {
  readonly sandbox: Sandbox;
  readonly tokens: readonly AccessToken[];
  /** Owned by the first token. */
  readonly sessions?: readonly AnySession[];
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Default: 64. */
  readonly maxSessions?: number;
  /** Concurrently per session, including WebSockets. Default: 64. */
  readonly maxPortRequests?: number;
  /** Default: `maxSessions`. */
  readonly maxPerToken?: number;
  /** Allow-listed adb serials or addresses. Default: none. */
  readonly phones?: readonly string[];
  /** Allow-listed server addresses. Default: none. */
  readonly remotes?: readonly string[];
  /** Allow-listed for sessions, such as `127.0.0.1:3000`. Default: none. */
  readonly hostPorts?: readonly string[];
  readonly connectionLimits?: ConnectionLimits;
  readonly intakeLimits?: IntakeLimits;
  /** Limit of all videos. Default: 8 GiB, or half of the free disk. */
  readonly recordingBytes?: number;
  /** Default: none. */
  readonly images?: VmImages;
  /** Default: `machine` alone. */
  readonly roots?: SandboxRoots;
  /** Matched by a lease's `labels`. Default: none. */
  readonly labels?: Labels;
}

export interface SandboxServer {
  readonly url: string;
  readonly routes: readonly ClassifiedRoute[];
  readonly leases: Leases;
  close(): Promise<void>;
}

const bodyLimit = 2 ** 20;

/**
 * Serves sessions over HTTP (`/openapi.json`). All but `/health` needs a token. A session belongs to the token that
 * leased it; `watch` views all, `admin` may do everything. Throws `bad_input` for invalid tokens, and `infra` if the
 * port is taken.
 */
export async function serveSandbox(options: ServerOptions): Promise<SandboxServer> {
  const { sandbox, host = '127.0.0.1', port = 0 } = options;
  const { maxSessions = 64, maxPerToken = maxSessions, maxPortRequests = 64 } = options;
  const allowList = new AllowList(options);
  const { tokens, allowHosts, allowOrigins, delegation, images = {}, roots = {}, labels = {} } = options;
  const access = new ServerAccess({ host, tokens, anonymous: 'nothing', allowHosts, allowOrigins, delegation });
  const logs = new SessionLogStore();
  const leases = new Leases({ sandbox, maxSessions, maxPerToken, allowList, images, roots, labels, logs });
  const metrics = new Metrics({
    sessions: () => leases.list().map(({ session }) => session.kind),
    places: () => ({ total: leases.maxSessions, taken: leases.taken, isOpen: leases.isOpen }),
    warm: () => sandbox.warm,
  });

  const { connectionLimits, intakeLimits } = options;
  const app = await apiServer(access, { title: 'gyre sandbox', bodyLimit, connectionLimits, intakeLimits });
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime);
    done();
  });

  const sessionFor = (request: SessionRequest, scopes: readonly TokenScope[]): AnySession => {
    const bearer = access.bearer(request);
    const entry = leases.find(request.params.id);
    const may = entry && bearer && (entry.owner === bearer.name || scopes.includes(bearer.scope));
    // Does not reveal other tokens' sessions.
    if (!may) throw new HttpRefusal(404, `there is no session ${request.params.id} for this token`, 'lease a session');
    return entry.session;
  };
  const first = access.known(`Bearer ${tokens[0]?.token}`);
  for (const session of options.sessions ?? []) leases.keep(session, first?.name ?? '');
  const lesseeOf: RouteContext['lesseeOf'] = (request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return { owner: access.bearer(request)?.name ?? '', signal: gone.signal };
  };
  const { serve, serveSocket } = createServe(app, access);
  serve(service.health, () => ({ ok: leases.isOpen, sessions: leases.size }));
  serve(service.metrics, async (_, reply) => reply.type('text/plain; version=0.0.4').send(await metrics.text()));
  serve(service.openapi, () => app.swagger());

  const bearer = (request: FastifyRequest) => access.bearer(request);
  const routes: RouteContext = {
    app,
    access,
    serve,
    serveSocket,
    sandbox,
    allowList,
    bearer,
    session: (request) => sessionFor(request, ['admin']),
    viewable: (request) => sessionFor(request, ['admin', 'watch']),
    listed: (request) => {
      const asker = bearer(request);
      return leases
        .list()
        .filter(({ owner }) => asker?.scope !== 'operate' || owner === asker.name)
        .map(({ session }) => session);
    },
    leases,
    lesseeOf,
  };
  sessionRoutes(routes);
  browserRoutes(routes);
  desktopRoutes(routes);
  deviceRoutes(routes);
  shellRoutes(routes);
  fileRoutes(routes);
  toolRoutes(routes);
  checkpointRoutes(routes);
  eventRoutes(routes);
  logRoutes(routes, logs);
  frameRoutes(routes);
  controlRoutes(routes);
  recordingRoutes(routes, options.recordingBytes);
  viewRoutes(routes);
  cdpRoutes(routes);
  portRoutes(routes, maxPortRequests);

  const url = await listen(app, { host, port });
  const unfollow = new AbortController();
  void metrics.follow(sandbox.events({ signal: unfollow.signal }));
  return {
    url,
    routes: access.routes,
    leases,
    async close() {
      await leases.close();
      await app.close();
      unfollow.abort();
    },
  };
}
