import { GyreError } from '@gyre/protocol';
import { type ServerAccess, guardedServer, HttpRefusal, withoutHostPaths } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';

/** A few base64 screenshots. */
const largestMiB = 64;

/** A trainer has one connection per episode. */
const connectionLimits = { connections: 4_096, perAddress: 4_096 };

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly detail: { readonly code: string; readonly param?: string },
  ) {
    super(message);
  }
}

export function chatApi(access: ServerAccess): FastifyInstance {
  const app = guardedServer(access, { bodyLimit: largestMiB * 1024 * 1024, connectionLimits });
  app.setErrorHandler((error, _request, reply) => {
    const failure = apiError(error);
    return reply.code(failure.status).send(errorBody(failure));
  });
  return app;
}

export function errorBody({ status, message, detail: { code, param } }: ApiError): object {
  return {
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: param ?? null, code },
  };
}

export function apiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof HttpRefusal) {
    const code = error.status === 401 ? 'invalid_api_key' : 'refused';
    return new ApiError(error.status, `${error.message}: ${error.fix}`, { code });
  }
  if (error instanceof GyreError) {
    const { field, fix } = error.detail;
    const bad = error.code === 'bad_input' || error.code === 'shape';
    const message = fix === undefined ? error.message : `${error.message}: ${fix}`;
    return new ApiError(bad ? 400 : 503, bad ? message : withoutHostPaths(message), {
      code: error.code,
      ...(field !== undefined && { param: field }),
    });
  }
  const { statusCode, message } = error as { statusCode?: number; message?: string };
  if (statusCode === 413) {
    const text = `the request is larger than ${largestMiB} MiB: send fewer or smaller images`;
    return new ApiError(413, text, { code: 'too_large' });
  }
  if (statusCode !== undefined && statusCode < 500)
    return new ApiError(statusCode, message ?? 'bad request', { code: 'bad_request' });
  return new ApiError(500, 'internal server error', { code: 'failed' });
}
