import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { GyreError } from '@gyre/protocol';
import { checkedNumber, longestMs } from '../checkedNumber.js';

/** Connections of a server, and how slow whoever is at the other end may be. */
export interface ConnectionLimits {
  /** Open at once. Default 1024. */
  readonly connections?: number;
  /** Of one address. Default 512. */
  readonly perAddress?: number;
  /** How long the headers of a request may take, in ms. Default 10,000. */
  readonly headersMs?: number;
  /** How long a connection may be kept without a request, in ms. Default 30,000. */
  readonly idleMs?: number;
  /** How long a body may be in coming before it has to come at `bodyBytesPerSecond`, in ms. Default 10,000. */
  readonly bodyMs?: number;
  /** Default 1024. */
  readonly bodyBytesPerSecond?: number;
  /** How long whoever is sent something may take nothing of it, in ms. Default 60,000. */
  readonly takingMs?: number;
}

/** How often all connections are looked at, in ms. */
const sweepMs = 1_000;

/** A body that is coming. */
interface Body {
  readonly request: IncomingMessage;
  readonly since: number;
  readonly bytesThen: number;
}

/** What is waiting to be taken by the other end. */
interface Taking {
  readonly bytes: number;
  readonly since: number;
}

/** Returns whole limits. Throws `bad_input`. */
function checked(limits: ConnectionLimits): Required<ConnectionLimits> {
  const whole = {
    connections: 1_024,
    perAddress: 512,
    headersMs: 10_000,
    idleMs: 30_000,
    bodyMs: 10_000,
    bodyBytesPerSecond: 1_024,
    takingMs: 60_000,
    ...limits,
  };
  for (const [field, value] of Object.entries(whole)) {
    checkedNumber(`connectionLimits.${field}`, value, { least: 1, most: longestMs });
  }
  return whole;
}

/** What a server of Node's is made with for these limits, as Fastify takes it. Throws `bad_input`. */
export function serverOptions(limits: ConnectionLimits = {}) {
  const { headersMs, idleMs } = checked(limits);
  return {
    keepAliveTimeout: idleMs,
    // Bodies have their own pace: a large file takes as long as it takes.
    requestTimeout: 0,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: sweepMs,
      // Whoever has gone without a word is found out.
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    },
  } as const;
}

/**
 * Bounds the connections of a server: so many at once and of one address, bodies that keep coming, and readers that keep reading, of
 * answers, events, frames and what is passed on. Whoever does not is disconnected; others are left alone.
 */
export function guardConnections(server: Server, limits: ConnectionLimits = {}): void {
  const { connections, perAddress, bodyMs, bodyBytesPerSecond, takingMs } = checked(limits);
  const open = new Map<Socket, Taking | undefined>();
  const addresses = new Map<string, number>();
  const bodies = new Set<Body>();
  server.maxConnections = connections;
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (addresses.get(address) ?? 0) + 1;
    if (count > perAddress) return socket.destroy();
    addresses.set(address, count);
    open.set(socket, undefined);
    socket.once('close', () => {
      open.delete(socket);
      const left = (addresses.get(address) ?? 1) - 1;
      if (left > 0) addresses.set(address, left);
      else addresses.delete(address);
    });
  });
  server.on('request', (request: IncomingMessage) => {
    const bodiless = request.headers['content-length'] === undefined && !('transfer-encoding' in request.headers);
    if (bodiless) return;
    const body = { request, since: performance.now(), bytesThen: request.socket.bytesRead };
    bodies.add(body);
    request.once('close', () => bodies.delete(body));
  });
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { request, since, bytesThen } of bodies) {
      const seconds = (now - since - bodyMs) / 1_000;
      // What waits here to be read is not held up by whoever sends it.
      if (request.complete || request.readableLength > 0 || seconds <= 0) continue;
      if (request.socket.bytesRead - bytesThen < seconds * bodyBytesPerSecond) request.socket.destroy();
    }
    for (const [socket, taking] of open) {
      const bytes = socket.writableLength;
      if (bytes === 0 || !taking || bytes < taking.bytes)
        open.set(socket, bytes > 0 ? { bytes, since: now } : undefined);
      else if (now - taking.since > takingMs) socket.destroy();
    }
  }, sweepMs);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
}

/** The error of a port that cannot be listened at. */
export function portTaken(host: string, port: number, cause: unknown): GyreError {
  return new GyreError('infra', `${host}:${port} cannot be had: ${(cause as Error).message}`, {
    part: 'network',
    field: 'port',
    fix: 'choose another port',
    cause,
  });
}
