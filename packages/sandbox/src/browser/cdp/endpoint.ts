import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { RequestSource } from '../../server/access/requestSource.js';
import { CdpClient, type Message } from './client.js';
import type { CdpScope } from './scope.js';
import { TargetInfo } from './target.js';

export interface CdpEndpoint {
  /**
   * WebSocket for Playwright's `connectOverCDP` and Puppeteer's `browserWSEndpoint`. Its http: variant serves
   * `/json/version` and `/json/list`.
   */
  readonly url: string;
  /** Empty if the address is the secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Disconnects clients and closes what they opened. Idempotent. */
  readonly close: () => Promise<void>;
}

export interface CdpOptions {
  /** Called per command; an exception disconnects the client. */
  readonly onCommand?: () => void;
}

const Version = z.record(z.string(), z.string());
const Targets = z.object({ targetInfos: z.array(TargetInfo) });

const maxClients = 8;
const maxMessageBytes = 64 * 2 ** 20;
/** Bytes buffered for a slow client. */
const maxBuffered = 256 * 2 ** 20;

/** Serves CDP clients at an unguessable local address. */
export async function openEndpoint(scope: CdpScope, onCommand: () => void): Promise<CdpEndpoint> {
  const endpoint = new Endpoint(scope, onCommand);
  await endpoint.listen();
  return endpoint;
}

class Endpoint implements CdpEndpoint {
  url = '';
  readonly headers = {};
  readonly #scope: CdpScope;
  readonly #onCommand: () => void;
  readonly #secret = randomBytes(24).toString('base64url');
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  readonly #leaving = new Set<Promise<void>>();
  readonly #source = new RequestSource({ host: '127.0.0.1' });
  #closed: Promise<void> | undefined;

  constructor(scope: CdpScope, onCommand: () => void) {
    this.#scope = scope;
    this.#onCommand = onCommand;
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
        response.end(JSON.stringify(body));
      });
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#server.unref();
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    this.url = `ws://127.0.0.1:${port}/${this.#secret}`;
  }

  readonly close = (): Promise<void> => (this.#closed ??= this.#close());

  async #close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    for (const socket of this.#sockets.clients) socket.terminate();
    await new Promise<void>((resolve) => this.#sockets.close(() => resolve()));
    await Promise.all(this.#leaving);
  }

  /** Returns the path after the secret. Refuses a wrong secret and requests by web pages. */
  #place(request: IncomingMessage): string | undefined {
    const { url = '' } = request;
    if (this.#source.refusal(request)) return undefined;
    const [, secret = '', place] = /^\/([^/?]*)\/?([^?]*)/.exec(url) ?? [];
    const [actual, expected] = [Buffer.from(secret), Buffer.from(this.#secret)];
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
    return place?.replace(/\/$/, '');
  }

  async #answer(request: IncomingMessage): Promise<[number, unknown]> {
    const { connection } = this.#scope.browser;
    try {
      switch (this.#place(request)) {
        case 'json/version': {
          const version = await connection.send('Browser.getVersion', {}, undefined, Version);
          return [
            200,
            {
              Browser: version.product,
              'Protocol-Version': version.protocolVersion,
              'User-Agent': version.userAgent,
              'V8-Version': version.jsVersion,
              'WebKit-Version': version.revision,
              webSocketDebuggerUrl: this.url,
            },
          ];
        }
        case 'json':
        case 'json/list': {
          const { targetInfos } = await connection.send('Target.getTargets', {}, undefined, Targets);
          const ownTargets = targetInfos.filter(({ browserContextId }) => browserContextId === this.#scope.context);
          return [
            200,
            ownTargets.map(({ targetId: id, type, title, url }) => ({ id, type, title, url, description: '' })),
          ];
        }
        default:
          return [404, { error: 'not found' }];
      }
    } catch {
      return [503, { error: 'the browser has ended' }];
    }
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refuse = (status: string): unknown => socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`);
    socket.on('error', () => socket.destroy());
    if (this.#place(request) !== '') return void refuse('404 Not Found');
    if (this.#sockets.clients.size >= maxClients) return void refuse('429 Too Many Requests');
    this.#sockets.handleUpgrade(request, socket, head, (client) => void this.#serve(client));
  }

  async #serve(socket: WebSocket): Promise<void> {
    socket.pause();
    socket.on('error', () => socket.terminate());
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const peer = {
      send: (message: Message) => {
        if (socket.bufferedAmount > maxBuffered) return socket.terminate();
        try {
          socket.send(JSON.stringify(message));
        } catch {
          // Exceeds the maximum string length.
          socket.terminate();
        }
      },
      onCommand: this.#onCommand,
      leave: () => socket.close(1000),
    };
    try {
      const client = await CdpClient.connect(this.#scope, peer);
      const closing = closed.then(() => client.close());
      this.#leaving.add(closing);
      void closing.then(() => this.#leaving.delete(closing));
      socket.on('message', (data: RawData) => {
        try {
          client.receive((data as Buffer).toString());
        } catch {
          socket.close(1001, 'the session has ended');
        }
      });
      socket.resume();
    } catch {
      socket.close(1011, 'the browser has ended');
    }
  }
}
