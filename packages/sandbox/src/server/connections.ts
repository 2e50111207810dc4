import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { checkedNumber, maxTimerMs } from '../checkedNumber.js';

export interface ConnectionLimits {
  /** Default: 1024. */
  readonly connections?: number;
  /** Default: 512. */
  readonly perAddress?: number;
  /** Default: 10,000. */
  readonly headersMs?: number;
  /** Without a request. Default: 30,000. */
  readonly idleMs?: number;
  /** Grace before `bodyBytesPerSecond` applies. Default: 10,000. */
  readonly bodyMs?: number;
  /** Default: 1024. */
  readonly bodyBytesPerSecond?: number;
  /** How long a client may stop reading. Default: 60,000. */
  readonly takingMs?: number;
}

const sweepMs = 1_000;

interface Body {
  readonly request: IncomingMessage;
  readonly since: number;
  readonly bytesThen: number;
}

interface Taking {
  readonly bytes: number;
  readonly since: number;
}

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
    checkedNumber(`connectionLimits.${field}`, value, { min: 1, max: maxTimerMs });
  }
  return whole;
}

/** Throws `bad_input`. */
export function serverOptions(limits: ConnectionLimits = {}) {
  const { headersMs, idleMs } = checked(limits);
  return {
    keepAliveTimeout: idleMs,
    // Large bodies take long.
    requestTimeout: 0,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: sweepMs,
      // Detects vanished clients.
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    },
  } as const;
}

/** Limits connections in total and per address, and disconnects clients that stall in sending or reading. */
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
      const remaining = (addresses.get(address) ?? 1) - 1;
      if (remaining > 0) addresses.set(address, remaining);
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
      // Not the sender's delay.
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
