import type { FastifyInstance, FastifyRequest } from 'fastify';
import { GyreError } from '@gyre/protocol';
import { Parser } from './json/parser.js';
import { HttpRefusal } from './failures.js';

export interface IntakeLimits {
  /** Includes WebSockets and event streams. Default: 256. */
  readonly requestsPerToken?: number;
  /** In memory, per token and in total. Default: 128 MiB and 256 MiB. */
  readonly bodyBytesPerToken?: number;
  readonly bodyBytes?: number;
}

const small = 2 ** 16;

interface Usage {
  requests: number;
  bytes: number;
}

/**
 * Refuses requests over their token's limits with 429; parses long JSON on another thread.
 *
 * @param nameOf returns the token's owner.
 */
export function enforceIntakeLimits(
  app: FastifyInstance,
  nameOf: (request: FastifyRequest) => string,
  { requestsPerToken = 256, bodyBytesPerToken = 2 ** 27, bodyBytes = 2 ** 28 }: IntakeLimits = {},
): void {
  const usageByToken = new Map<string, Usage>();
  let allBytes = 0;
  app.addHook('preParsing', (request, reply, payload, done) => {
    const name = nameOf(request);
    const mine = usageByToken.get(name) ?? { requests: 0, bytes: 0 };
    const bytes = bytesHeld(request);
    if (mine.requests >= requestsPerToken) {
      return done(
        new HttpRefusal(429, `${requestsPerToken} requests of this token are in progress`, 'wait until one ends'),
      );
    }
    const [limit, taken] =
      mine.bytes + bytes > bodyBytesPerToken ? [bodyBytesPerToken, mine.bytes] : [bodyBytes, allBytes];
    if (taken + bytes > limit) {
      const fix = `send at most ${Math.max(0, limit - taken)} bytes, or wait`;
      return done(new HttpRefusal(429, `bodies with ${taken} of at most ${limit} bytes are in progress`, fix));
    }
    mine.requests += 1;
    mine.bytes += bytes;
    allBytes += bytes;
    usageByToken.set(name, mine);
    let over = false;
    const leave = () => {
      if (over) return;
      over = true;
      mine.requests -= 1;
      mine.bytes -= bytes;
      allBytes -= bytes;
      if (mine.requests === 0) usageByToken.delete(name);
    };
    // An upgraded connection outlives its reply.
    if (request.raw.headers.upgrade !== undefined) request.raw.socket.once('close', leave);
    else reply.raw.once('close', leave);
    done(null, payload);
  });
  acceptJson(app);
}

function acceptJson(app: FastifyInstance): void {
  const parser = new Parser();
  app.addHook('onClose', () => parser.close());
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: AsyncIterable<Buffer>) =>
    parser.read(bounded(payload, request.routeOptions.bodyLimit)),
  );
}

async function* bounded(payload: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const piece of payload) {
    bytes += piece.length;
    if (bytes > limit) throw new HttpRefusal(413, `the body exceeds ${limit} bytes`, 'send less in one request');
    yield piece;
  }
  if (bytes === 0) throw new GyreError('bad_input', 'the body is empty', { field: 'body', fix: 'send JSON' });
}

/** Files are streamed, and routes refuse long bodies. */
function bytesHeld({ headers, routeOptions }: FastifyRequest): number {
  if (!headers['content-type']?.startsWith('application/json')) return 0;
  const limit = routeOptions.bodyLimit;
  const bytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limit;
  return bytes > small && bytes <= limit ? bytes : 0;
}
