import type { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import websocket from '@fastify/websocket';
import Fastify, { type FastifyRequest } from 'fastify';
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { Quotas } from '../quotas.js';
import type { BrowserSurface } from '../session.js';
import type { Sandbox, SandboxLease, SandboxSession } from '../sandbox.js';
import { cdpRoutes } from './cdp.js';
import { answerTo, Refusal } from './failures.js';
import type { Gate } from './gate.js';
import { checkpointRoutes } from './checkpointRoutes.js';
import { controlRoutes } from './controlRoutes.js';
import { eventRoutes } from './eventRoutes.js';
import { frameRoutes } from './frameRoutes.js';
import { leaseFor } from './leasing.js';
import { LogBook, logRoutes } from './logRoutes.js';
import { Metrics } from './metrics.js';
import type { Routes } from './routes.js';
import { toolRoutes } from './toolRoutes.js';
import { portRoutes } from './ports.js';
import { recordingRoutes } from './recordingRoutes.js';
import { authorizationOf, type Bearer, holds, type Scope, type Token, Tokens } from './tokens.js';
import { viewRoutes } from './viewRoutes.js';
import {
  ActRequest,
  AdvanceRequest,
  EvaluateReply,
  EvaluateRequest,
  type Json,
  Failure,
  LaunchRequest,
  LeaseRequest,
  Listing,
  NavigateRequest,
  OpenRequest,
  PathQuery,
  RunReply,
  RunRequest,
  SessionInfo,
  SessionParams,
} from './wire.js';

export interface ServerOptions {
  readonly sandbox: Sandbox;
  readonly tokens: readonly Token[];
  /** Default 127.0.0.1: this machine alone. */
  readonly host?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
  /** Sessions at once, of all together. Default 64. */
  readonly maxSessions?: number;
  /** Requests to the ports of one session at once, those of open WebSockets included. Default 64. */
  readonly maxPortRequests?: number;
  /** Sessions at once of each token. Default: as many as of all. */
  readonly maxPerToken?: number;
}

export interface SandboxServer {
  readonly url: string;
  /** Takes no more leases, ends all sessions, and then stops. */
  close(): Promise<void>;
}

/** Bytes of a request, but for files. */
const bodyLimit = 2 ** 20;
/** Bytes of a page that is opened. */
const pageLimit = 16 * 2 ** 20;

interface Kept {
  readonly session: SandboxSession;
  /** Who leased it. */
  readonly owner: string;
}

/**
 * Sessions over HTTP: leases, actions, frames, shell and files, as `/openapi.json` says. Every request but `/health` needs a token. A
 * session is its leaser's; `watch` may look at all, `admin` may do everything. Throws `bad_input` for tokens that do not fit, and
 * `infra` where the port cannot be had.
 */
export async function serveSandbox(options: ServerOptions): Promise<SandboxServer> {
  const { sandbox, host = '127.0.0.1', port = 0 } = options;
  const { maxSessions = 64, maxPerToken = maxSessions, maxPortRequests = 64 } = options;
  const quotas = new Quotas({ sessions: maxSessions, perOwner: maxPerToken });
  const tokens = new Tokens(options.tokens);
  const kept = new Map<string, Kept>();
  const metrics = new Metrics(
    () => kept.size,
    () => sandbox.warm,
  );
  const logs = new LogBook();
  const bearers = new WeakMap<FastifyRequest, Bearer>();
  let draining = false;

  const app = Fastify({ bodyLimit, forceCloseConnections: true }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, _, reply) => {
    const { status, body } = answerTo(error);
    return reply.status(status).send(body);
  });
  app.setNotFoundHandler((_, reply) => {
    const { status, body } = answerTo(new Refusal(404, 'there is no such address', 'see /openapi.json'));
    return reply.status(status).send(body);
  });
  await app.register(swagger, {
    openapi: {
      info: { title: 'gyre sandbox', version: '1' },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    },
    transform: jsonSchemaTransform,
  });
  await app.register(websocket, { options: { maxPayload: 4096 } });
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered(request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime);
    done();
  });

  const may = (wanted: Scope) => (request: FastifyRequest, _: unknown, done: (error?: Error) => void) => {
    const bearer = tokens.bearer(authorizationOf(request.headers));
    if (!bearer) return done(new Refusal(401, 'no token, or none that is known', 'send Authorization: Bearer TOKEN'));
    if (!holds(bearer.scope, wanted))
      return done(new Refusal(403, `the token is for ${bearer.scope} alone`, `use a token for ${wanted}`));
    bearers.set(request, bearer);
    done();
  };
  /** The session of a request, if its bearer may use it, or only look. */
  const of = (request: FastifyRequest<{ Params: { id: string } }>, looking = false): SandboxSession => {
    const bearer = bearers.get(request);
    const found = kept.get(request.params.id);
    const own = found && (looking || bearer?.scope === 'admin' || found.owner === bearer?.name);
    // Whose it is is nobody's business.
    if (!own) throw new Refusal(404, `there is no session ${request.params.id} for this token`, 'lease one');
    return found.session;
  };
  const info = ({ id, kind, state, screen }: SandboxSession): SessionInfo => ({ id, kind, state, size: screen.size });
  const admit: Routes['admit'] = async (request, reply, { kind, waitMs }, lease) => {
    if (draining) throw new Refusal(503, 'the server is ending', 'ask another');
    const owner = bearers.get(request)?.name ?? '';
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const session = await leaseFor(quotas, { kind, owner }, { waitMs, signal: gone.signal }, lease);
    if (draining) {
      await session.release();
      throw new Refusal(503, 'the server is ending', 'ask another');
    }
    kept.set(session.id, { session, owner });
    logs.keep(session, owner);
    void session.broken.then(() => kept.delete(session.id));
    return info(session);
  };
  const answers = { '4xx': Failure, '5xx': Failure };
  const gate: Gate = {
    may,
    of: (request) => of(request, bearers.get(request)?.scope === 'watch'),
    find: (id) => kept.get(id)?.session,
  };
  cdpRoutes(app, gate);
  portRoutes(app, gate, maxPortRequests);

  app.get(
    '/health',
    { schema: { security: [], response: { 200: z.strictObject({ ok: z.boolean(), sessions: z.int() }) } } },
    () => ({
      ok: !draining,
      sessions: kept.size,
    }),
  );
  app.get('/metrics', { onRequest: may('watch'), schema: { hide: true } }, async (_, reply) =>
    reply.type('text/plain; version=0.0.4').send(await metrics.text()),
  );
  app.get('/openapi.json', { onRequest: may('watch'), schema: { hide: true } }, () => app.swagger());

  app.post(
    '/v1/sessions',
    { onRequest: may('operate'), schema: { body: LeaseRequest, response: { 201: SessionInfo, ...answers } } },
    async (request, reply) => {
      const terms = request.body as SandboxLease;
      return reply.status(201).send(await admit(request, reply, terms, (wait) => sandbox.lease({ ...terms, ...wait })));
    },
  );
  app.get(
    '/v1/sessions',
    { onRequest: may('watch'), schema: { response: { 200: z.array(SessionInfo), ...answers } } },
    (request) => {
      const bearer = bearers.get(request);
      const seen = [...kept.values()].filter(({ owner }) => bearer?.scope !== 'operate' || owner === bearer.name);
      return seen.map(({ session }) => info(session));
    },
  );
  const one = { params: SessionParams };
  app.get(
    '/v1/sessions/:id',
    { onRequest: may('watch'), schema: { ...one, response: { 200: SessionInfo, ...answers } } },
    (request) => info(of(request, bearers.get(request)?.scope === 'watch')),
  );
  app.post('/v1/sessions/:id/renew', { onRequest: may('operate'), schema: one }, async (request, reply) => {
    of(request).renew();
    return reply.status(204).send();
  });
  app.delete('/v1/sessions/:id', { onRequest: may('operate'), schema: one }, async (request, reply) => {
    const session = of(request);
    kept.delete(session.id);
    await session.release();
    return reply.status(204).send();
  });

  app.post(
    '/v1/sessions/:id/act',
    { onRequest: may('operate'), schema: { ...one, body: ActRequest } },
    async (request, reply) => {
      const { screen } = of(request);
      for (const action of request.body.actions) await screen.act(action);
      return reply.status(204).send();
    },
  );
  const browserIn = (request: FastifyRequest<{ Params: { id: string } }>): BrowserSurface => {
    const { browser } = of(request);
    if (browser) return browser;
    throw new GyreError('bad_input', 'the session has no browser', { field: 'id', fix: 'lease one of kind browser' });
  };
  app.post(
    '/v1/sessions/:id/browser/open',
    { onRequest: may('operate'), bodyLimit: pageLimit, schema: { ...one, body: OpenRequest } },
    async (request, reply) => {
      const { script, ...page } = request.body;
      await browserIn(request).open({ ...page, ...(script !== undefined && { script }) });
      return reply.status(204).send();
    },
  );
  app.post(
    '/v1/sessions/:id/browser/evaluate',
    {
      onRequest: may('operate'),
      schema: { ...one, body: EvaluateRequest, response: { 200: EvaluateReply, ...answers } },
    },
    async (request) => ({ value: await browserIn(request).evaluate<Json | undefined>(request.body.expression) }),
  );
  app.post(
    '/v1/sessions/:id/browser/advance',
    { onRequest: may('operate'), schema: { ...one, body: AdvanceRequest } },
    async (request, reply) => {
      await browserIn(request).advance(request.body.ms);
      return reply.status(204).send();
    },
  );
  app.post(
    '/v1/sessions/:id/browser/navigate',
    { onRequest: may('operate'), schema: { ...one, body: NavigateRequest } },
    async (request, reply) => {
      await browserIn(request).navigate(request.body.url);
      return reply.status(204).send();
    },
  );
  app.post(
    '/v1/sessions/:id/launch',
    { onRequest: may('operate'), schema: { ...one, body: LaunchRequest } },
    async (request, reply) => {
      const { desktop } = of(request);
      if (!desktop)
        throw new GyreError('bad_input', 'the session has no desktop', { field: 'id', fix: 'lease a desktop' });
      await desktop.launch(request.body.program, request.body.args);
      return reply.status(204).send();
    },
  );
  app.post(
    '/v1/sessions/:id/run',
    { onRequest: may('operate'), schema: { ...one, body: RunRequest, response: { 200: RunReply, ...answers } } },
    async (request) => {
      const { command, ...rest } = request.body;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      return of(request).shell.run(command, given);
    },
  );
  const file = { ...one, querystring: PathQuery };
  app.get('/v1/sessions/:id/file', { onRequest: may('operate'), schema: file }, async (request, reply) => {
    const { stream, bytes } = await of(request).files.download(request.query.path);
    return reply.type('application/octet-stream').header('content-length', bytes).send(stream);
  });
  app.put(
    '/v1/sessions/:id/file',
    { onRequest: may('operate'), bodyLimit: 4 * 2 ** 30, schema: file },
    async (request, reply) => {
      const { files } = of(request);
      await files.upload(request.query.path, request.body as Readable, { folders: true });
      return reply.status(204).send();
    },
  );
  app.get(
    '/v1/sessions/:id/files',
    { onRequest: may('operate'), schema: { ...one, querystring: PathQuery, response: { 200: Listing, ...answers } } },
    async (request) => {
      const { entries, truncated } = await of(request).files.list(request.query.path);
      return { entries: entries.map((entry) => ({ ...entry, modified: entry.modified.toISOString() })), truncated };
    },
  );

  const routes: Routes = { app, sandbox, may, of, admit, bearer: (request) => bearers.get(request) };
  checkpointRoutes(routes);
  eventRoutes(routes);
  logRoutes(routes, logs);
  frameRoutes(routes);
  controlRoutes(routes);
  recordingRoutes(routes);
  viewRoutes(routes);
  await app.register(toolRoutes, { may, of });

  const url = await app.listen({ host, port }).catch(async (cause: unknown) => {
    await app.close();
    throw new GyreError('infra', `${host}:${port} cannot be had: ${(cause as Error).message}`, {
      field: 'port',
      fix: 'choose another port',
      cause,
    });
  });
  return {
    url,
    async close() {
      draining = true;
      quotas.close(new GyreError('infra', 'the server is ending', { fix: 'ask another' }));
      await Promise.all([...kept.values()].map(({ session }) => session.release()));
      await app.close();
    },
  };
}
