import { readdirSync } from 'node:fs';
import { type ErrorCode, GyreError, shownText } from '@gyre/protocol';
import { QuotaReached } from '../lease/quotas.js';
import type { WebSocket } from '@fastify/websocket';
import type { Failure } from '../wire/failure.js';

export class HttpRefusal extends Error {
  constructor(
    readonly status: 401 | 403 | 404 | 413 | 415 | 426 | 429 | 502 | 503 | 504,
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

const statuses: Readonly<Record<ErrorCode, number>> = {
  bad_input: 400,
  missing: 501,
  corrupt: 500,
  infra: 503,
  bug: 500,
  storage: 507,
  held: 409,
  shape: 500,
  numeric: 500,
};

/** Closes with 4000 + the HTTP status. */
export function closeWithError(socket: Pick<WebSocket, 'close'>, error: unknown): void {
  const { status, body } = errorReply(error);
  // Close frames hold 123 bytes.
  const reason = Buffer.from(body.error.message).subarray(0, 120).toString();
  socket.close(4_000 + status, reason);
}

const roots = readdirSync('/').map((name) => name.replace(/[^\w]/g, '\\$&'));
const hostPath = new RegExp(`(?<![\\w.:/@-])(?:file://)?/(?:${roots.join('|')})(?:/[^\\s'"\`(),;:]*)?(?![\\w])`, 'g');

/** For clients: removes host paths and stacks. */
export function withoutHostPaths(message: string): string {
  return message.replace(/\n\s+at [^]*$/, '').replace(hostPath, '…');
}

/** Unexpected errors show only their name: their text may contain secrets. */
export function errorReply(error: unknown): { status: number; body: Failure } {
  const { status, body } = failureOf(error);
  const { message, ...rest } = body.error;
  return { status, body: { error: { ...rest, message: shownText(message) } } };
}

function failureOf(error: unknown): { status: number; body: Failure } {
  if (error instanceof HttpRefusal) {
    return { status: error.status, body: { error: { code: 'refused', message: error.message, fix: error.fix } } };
  }
  if (error instanceof GyreError) {
    const { field, fix, part } = error.detail;
    const message = error.code === 'bad_input' ? error.message : withoutHostPaths(error.message);
    const body = { code: error.code, message, field, fix, part };
    const status = error instanceof QuotaReached ? 429 : statuses[error.code];
    return { status, body: { error: body } };
  }
  const { statusCode, message, validation } = error as {
    statusCode?: number;
    message?: string;
    validation?: { instancePath?: string; message?: string }[];
  };
  if (validation) {
    const [first] = validation;
    const field = first?.instancePath?.slice(1).replaceAll('/', '.') || 'body';
    return {
      status: 400,
      body: { error: { code: 'bad_input', message: `${field}: ${first?.message ?? 'is invalid'}`, field } },
    };
  }
  if (statusCode !== undefined && statusCode < 500) {
    return {
      status: statusCode,
      body: { error: { code: 'bad_input', message: message ?? 'the request is malformed' } },
    };
  }
  return { status: 500, body: { error: { code: 'internal', message: (error as Error).name } } };
}
