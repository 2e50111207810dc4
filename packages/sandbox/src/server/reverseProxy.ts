import { request as httpRequest, STATUS_CODES, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endToEndHeaders, endToEndRequest } from '../isolation/endToEnd.js';
import { HttpRefusal } from './failures.js';
import { forwardedCookies } from './proxyHeaders.js';
import { isTokenProtocol } from './tokens.js';

export interface ProxyTarget {
  connect(): Promise<Socket>;
  readonly host: string;
  /** Path and query inside the session. */
  readonly path: string;
  /** Default: hides the token, other cookies and the page's location. */
  readonly onwardHeaders?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  readonly answered?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
  /** Default: 502, which advises to start a server on the port. */
  readonly unreachable?: (error: Error) => Error;
}

const maxBytes = 256 * 2 ** 20;
/** Until the reply, and between chunks. */
const idleMs = 120_000;

/** Throws `HttpRefusal`: 502 without an answer, 504 on timeout, 413 for a long body. */
export async function proxyRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  target: ProxyTarget,
): Promise<FastifyReply> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const fail = (error: Error): void => reject(error instanceof HttpRefusal ? error : unreachable(target, error));
    target
      .connect()
      .then((socket) => {
        const onward = begin(request, target, socket, {});
        socket.setTimeout(idleMs, () =>
          onward.destroy(new HttpRefusal(504, `${target.host} does not answer`, 'try again')),
        );
        onward.once('response', resolve);
        onward.on('error', fail);
        // The client gave up.
        reply.raw.once('close', () => socket.destroy());
        const body = request.raw.pipe(limited());
        body.on('error', (error) => onward.destroy(error));
        body.pipe(onward);
      })
      .catch(fail);
  });
  const headers = endToEndHeaders(answer.headers);
  return reply
    .status(answer.statusCode ?? 502)
    .headers(target.answered?.(headers) ?? headers)
    .send(answer);
}

/** The program may refuse the upgrade. Throws `HttpRefusal` if nobody answers. */
export async function proxyUpgrade(request: FastifyRequest, reply: FastifyReply, target: ProxyTarget): Promise<void> {
  const socket = await target.connect().catch((error: unknown) => {
    throw unreachable(target, error as Error);
  });
  const client = request.raw.socket;
  const { upgrade } = request.headers;
  const onward = (() => {
    try {
      return begin(request, target, socket, { connection: 'upgrade', upgrade: upgrade ?? 'websocket' });
    } catch (error) {
      socket.destroy();
      throw unreachable(target, error as Error);
    }
  })();
  reply.hijack();
  reply.raw.detachSocket(client);
  const end = (): void => void [client, socket].map((each) => each.destroy());
  const join = ({ statusCode, headers }: IncomingMessage, head: Buffer): void => {
    const { connection = 'upgrade', upgrade: to = 'websocket' } = headers;
    const replyHeaders = {
      ...(target.answered?.(endToEndHeaders(headers)) ?? endToEndHeaders(headers)),
      connection,
      upgrade: to,
    };
    client.write(`HTTP/1.1 ${statusCode} Switching Protocols\r\n${lines(replyHeaders)}\r\n`);
    client.write(head);
  };
  client.on('error', end);
  client.once('close', end);
  onward.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'));
  onward.once('upgrade', (answer, _, head) => {
    join(answer, head);
    pipeline(client, socket, client, end);
  });
  onward.once('response', ({ statusCode = 502 }) => {
    client.end(
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
    socket.destroy();
  });
  onward.end();
}

function begin({ method, headers }: FastifyRequest, target: ProxyTarget, socket: Socket, more: IncomingHttpHeaders) {
  const passed: IncomingHttpHeaders = endToEndRequest(headers);
  if (more.upgrade !== undefined) {
    // Data after an upgrade is no body.
    delete passed['content-length'];
    delete passed['transfer-encoding'];
  }
  return httpRequest({
    method,
    path: target.path,
    headers: { ...(target.onwardHeaders?.(passed) ?? headersInside(passed, target.host)), ...more, host: target.host },
    createConnection: () => socket,
  });
}

/** Hides the token, other cookies and the page's location from the program. */
function headersInside(headers: IncomingHttpHeaders, host: string): IncomingHttpHeaders {
  const {
    authorization: _,
    referer: __,
    'x-gyre-token': ___,
    'sec-websocket-protocol': requestedProtocols = '',
    cookie = '',
    origin,
    ...forwarded
  } = headers;
  const protocols = requestedProtocols
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !isTokenProtocol(name));
  const cookies = forwardedCookies(cookie);
  return {
    ...forwarded,
    ...(cookies && { cookie: cookies }),
    ...(origin && { origin: `http://${host}` }),
    ...(protocols.length > 0 && { 'sec-websocket-protocol': protocols.join(', ') }),
  };
}

function limited(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge());
      else done(null, chunk);
    },
  });
}

const tooLarge = (): HttpRefusal => new HttpRefusal(413, `the body exceeds ${maxBytes} bytes`, 'send it in parts');

function lines(headers: NodeJS.Dict<string | string[] | number>): string {
  const linesOf = (name: string, value: string | string[] | number | undefined): string[] =>
    value === undefined ? [] : [value].flat().map((each) => `${name}: ${each}\r\n`);
  return Object.entries(headers)
    .flatMap(([name, value]) => linesOf(name, value))
    .join('');
}

function unreachable({ host, unreachable }: ProxyTarget, error: Error): Error {
  if (unreachable) return unreachable(error);
  return new HttpRefusal(
    502,
    `${host} of the session does not answer: ${error.message}`,
    'start a server on this port',
  );
}
