import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { HttpError, httpError } from './httpError.js';
import { readBody } from './requestBody.js';
import { type GuardOptions, RequestGuard } from './requestGuard.js';
import { type CheckpointCall, type ServiceOptions, TinkerService } from './routes.js';

export interface TinkerServerOptions extends ServiceOptions, GuardOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Largest body, unpacked. Default 256 MiB. */
  readonly largestBody?: number | undefined;
}

export interface TinkerServer {
  /** Without `/api/v1`. */
  readonly url: string;
  /** Waits for the requests that run. The engine stays open. */
  close(): Promise<void>;
}

const checkpointRoute =
  /^\/api\/v1\/training_runs\/(?<modelId>[\w-]+)\/checkpoints\/(?:(?<kind>weights|sampler_weights)\/)?(?<name>\w[\w.-]{0,99})(?<isArchive>\/archive)?$/;

/** Close connections that send no request. */
const timeouts = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 };

/**
 * Serves an engine by the training and sampling API of Tinker, to `TinkerClient` and to others that speak its protobuf.
 * Holds one model at a time, which trains all weights of the engine and begins with those that it has when the first
 * model is created. Earlier published weights are not kept: their paths sample from the newest.
 *
 * @throws GyreError `bad_input` for a public host without tokens; `infra` if it cannot listen.
 */
export async function serveTinker(options: TinkerServerOptions): Promise<TinkerServer> {
  const { host = '127.0.0.1', port = 0, largestBody = 256 * 2 ** 20, onFault = () => undefined } = options;
  const guard = new RequestGuard(options);
  const service = new TinkerService(options);
  const server = createServer(timeouts, (request, response) => {
    void answer(request, { guard, service, largestBody })
      .catch((error: unknown) => {
        const failure = httpError(error);
        if (failure.status >= 500 && failure !== error) onFault(error);
        return failure;
      })
      .then((outcome) => send(response, outcome));
  });
  server.listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new GyreError('infra', `cannot listen on ${host}:${port}: ${String(cause)}`, {
      ...{ part: 'network', field: 'port', cause },
      fix: 'use another host or port, or port 0 for any free one',
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await service.idle();
    },
  };
}

interface Parts {
  readonly guard: RequestGuard;
  readonly service: TinkerService;
  readonly largestBody: number;
}

async function answer(request: IncomingMessage, { guard, service, largestBody }: Parts) {
  guard.checkSource(request);
  const { method = '', url = '' } = request;
  if (method === 'GET' && url === '/health') return { status: 'ok' };
  guard.checkToken(request);
  const checkpoint = checkpointRoute.exec(url)?.groups;
  if (checkpoint) return service.checkpoint(method, checkpoint as unknown as CheckpointCall);
  const path = /^\/api\/v1\/([\w/]+)(?:\?.*)?$/.exec(url)?.[1]?.replace(/^(samplers)\/\w+$/, '$1') ?? '';
  const routes = method === 'GET' ? service.gets : method === 'POST' ? service.posts : {};
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) {
    throw new HttpError(404, `${method} ${url} is not a route: send forward passes to POST /api/v1/forward_backward`);
  }
  return route(request, method === 'GET' ? Buffer.alloc(0) : await readBody(request, largestBody));
}

function send(response: ServerResponse, outcome: object | Uint8Array | HttpError): void {
  const isBinary = outcome instanceof Uint8Array;
  const isError = outcome instanceof HttpError;
  // `error` is for clients of results, `detail` for those of requests.
  const json = isError ? { error: outcome.message, detail: outcome.message, field: outcome.field } : outcome;
  response.writeHead(isError ? outcome.status : 200, {
    'content-type': isBinary ? 'application/x-protobuf' : 'application/json',
    'x-content-type-options': 'nosniff',
    // The rest of a refused body is not read.
    ...(isError && { connection: 'close' }),
  });
  response.end(isBinary ? outcome : JSON.stringify(json));
}
