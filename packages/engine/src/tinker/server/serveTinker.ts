import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { HttpError, httpError } from './httpError.js';
import { readBody } from './requestBody.js';
import { type GuardOptions, RequestGuard } from './requestGuard.js';
import { type ServiceOptions, TinkerService } from './routes.js';

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

/** Close connections that send no request. */
const timeouts = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 };

/**
 * Serves an engine by the training and sampling API of Tinker, to `TinkerClient` and to Tinker's Python SDK. Holds one
 * model at a time, which trains all weights of the engine and starts from those that it has when the first model is
 * created. Earlier published weights are not stored: their paths sample from the newest.
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
  const path = /^\/api\/v1\/([^?]*)/.exec(url)?.[1];
  if (path === undefined) throw new HttpError(404, `this server has no ${method} ${url}: its routes are under /api/v1`);
  const route = service.route(method, path);
  return route(request, method === 'GET' ? Buffer.alloc(0) : await readBody(request, largestBody));
}

function send(response: ServerResponse, outcome: object | Uint8Array | HttpError): void {
  const isBinary = outcome instanceof Uint8Array;
  const isError = outcome instanceof HttpError;
  const json = isError ? { detail: outcome.message, field: outcome.field } : outcome;
  const body = isBinary ? outcome : Buffer.from(JSON.stringify(json));
  response.writeHead(isError ? outcome.status : 200, {
    'content-type': isBinary ? 'application/x-protobuf' : 'application/json',
    // The SDK takes a 400 without a length for a fault of a proxy, and repeats the request for ever.
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
    // The rest of a refused body is not read.
    ...(isError && { connection: 'close' }),
  });
  response.end(body);
}
