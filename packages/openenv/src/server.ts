import websocket from '@fastify/websocket';
import { Random } from '@gyre/engine';
import {
  type BrowserPool,
  guardedServer,
  HttpRefusal,
  listen,
  ServerAccess,
  type ServerAccessOptions,
} from '@gyre/sandbox';
import type { AnyFamily } from '@gyre/tasks';
import { chooseTask } from './chooseTask.js';
import { converse } from './conversation.js';
import { OpenenvEnvironment } from './environment.js';
import { Failure, type FailureCode, failureBody } from './failure.js';
import { McpTools } from './mcp.js';
import { type Seat, Seats } from './seats.js';
import { type OpenenvMode, readStep, Reset, schemas, StepRequest } from './wire.js';

export interface OpenenvOptions extends ServerAccessOptions {
  /** Must have room for `sessions`. */
  readonly pool: Pick<BrowserPool, 'lease'>;
  readonly families: readonly AnyFamily[];
  readonly sessions: number;
  /** `production` offers MCP tools alone: no reset, step or state. Default: `simulation`. */
  readonly mode?: OpenenvMode;
  /** Default: 10 minutes. */
  readonly idleMs?: number;
  /** Seed of tasks requested without one. Default: 1. */
  readonly seed?: number;
  /** Default: 0, any free port. */
  readonly port?: number;
}

export interface OpenenvServer {
  readonly url: string;
  readonly count: number;
  close(): Promise<void>;
}

const messageLimit = 2 ** 18;

const statuses: Partial<Record<FailureCode, number>> = {
  INVALID_JSON: 400,
  VALIDATION_ERROR: 422,
  CAPACITY_REACHED: 503,
  FACTORY_ERROR: 503,
};

const stateless =
  'each HTTP request gets a fresh environment: name the task with `task`, `family` or `seed`, or connect to /ws for a whole episode';

/**
 * Serves tasks by OpenEnv's protocol: one environment per WebSocket at `/ws`. As in OpenEnv, POST /reset and /step are
 * stateless, each with a fresh environment. Throws `infra` if it cannot listen at the port.
 */
export async function serveOpenenv(options: OpenenvOptions): Promise<OpenenvServer> {
  const { pool, families, sessions, host = '127.0.0.1', port = 0 } = options;
  const { mode = 'simulation', idleMs = 600_000, seed = 1 } = options;
  const random = new Random(seed);
  const draw = () => Math.floor(random.next() * 1e9);
  const environment = {
    lease: (terms: Parameters<BrowserPool['lease']>[0]) => pool.lease(terms),
    choose: (request: Reset) => chooseTask(request, families, draw),
  };
  const seats = new Seats({ environment, maxClients: sessions, idleMs });
  const tools = new McpTools(seats);
  const access = new ServerAccess(options);
  const onRequest = access.may('operate');
  // A trainer opens one connection per environment.
  const connectionLimits = { connections: 4_096, perAddress: 4_096 };
  const app = guardedServer(access, { bodyLimit: messageLimit, connectionLimits });
  await app.register(websocket, { options: { maxPayload: messageLimit } });
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof HttpRefusal) {
      const { status, message, fix } = error;
      return reply.status(status).send({ detail: failureBody(new Failure('SESSION_ERROR', `${message} (${fix})`)) });
    }
    const detail =
      'statusCode' in (error as object)
        ? failureBody(new Failure('INVALID_JSON', (error as Error).message))
        : failureBody(error);
    return reply.status(statuses[detail.code] ?? 500).send({ detail });
  });

  const served = families.map(({ name }) => name).join(', ');
  app.get('/health', { onRequest: access.open }, () => ({ status: 'healthy' }));
  app.get('/schema', { onRequest }, () => schemas);
  app.get('/metadata', { onRequest }, () => ({
    name: 'gyre',
    description: `Tasks on a screen: pixels in, mouse and keys out. Families: ${served}.`,
    version: '0.1.0',
  }));
  app.post('/mcp', { onRequest }, (request) => tools.answer(request.body));
  if (mode === 'simulation') {
    app.get('/state', { onRequest }, () => new OpenenvEnvironment(environment).state);
    app.post('/reset', { onRequest }, (request) =>
      withFreshSeat(({ environment }) => environment.reset(Reset.parse(request.body ?? {}))),
    );
    app.post('/step', { onRequest }, (request) => {
      const { action, ...reset } = StepRequest.parse(request.body);
      const named = [reset.task, reset.family, reset.seed].some((given) => given !== undefined && given !== null);
      if (!named) throw new Failure('VALIDATION_ERROR', stateless);
      return withFreshSeat(async ({ environment }) => {
        const step = readStep(action);
        await environment.reset(reset);
        return environment.step(step);
      });
    });
  }
  const withFreshSeat = async <Answer>(work: (seat: Seat) => Promise<Answer>): Promise<Answer> => {
    const seat = seats.take();
    return seat.use(() => work(seat)).finally(() => seat.leave());
  };
  app.get('/openapi.json', { onRequest }, () => openapi(mode));
  app.register((inner, _options, done) => {
    inner.get('/ws', { websocket: true, onRequest }, (socket) => converse(socket, { seats, tools, mode }));
    done();
  });

  const url = await listen(app, { host, port });
  return {
    url,
    get count() {
      return seats.count;
    },
    async close() {
      await seats.close();
      await app.close();
      // Clients that connected meanwhile.
      await seats.close();
    },
  };
}

/** Clients detect the mode from these routes. */
function openapi(mode: OpenenvMode): object {
  const simulation = {
    '/reset': { post: 'Resets a fresh environment and returns its first observation.' },
    '/step': { post: 'Resets a fresh environment, takes one step and returns the result.' },
    '/state': { get: 'Returns the state of a fresh environment.' },
  };
  const always = {
    '/health': { get: 'Health check.' },
    '/metadata': { get: 'Name, description and version.' },
    '/schema': { get: 'Action, observation and state as JSON Schemas.' },
    '/mcp': { post: 'JSON-RPC 2.0: tools/list, tools/call.' },
    '/ws': { get: 'A WebSocket with its own environment.' },
  };
  const described = Object.entries(mode === 'simulation' ? { ...simulation, ...always } : always).map(
    ([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, summary]) => [
          method,
          { summary, responses: { 200: { description: '' } } },
        ]),
      ),
    ],
  );
  return {
    openapi: '3.1.0',
    info: { title: 'gyre', version: '0.1.0' },
    paths: Object.fromEntries(described) as Record<string, unknown>,
  };
}
