import { lookup } from 'node:dns/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, isIP, type Server as NetServer, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { GyreError } from '@gyre/protocol';
import { endToEndHeaders, endToEndRequest } from './endToEnd.js';
import { isOutsideAddress } from './outsideAddress.js';

/** Network access by HTTP and CONNECT. */
export interface EgressOptions {
  /** `host`, `host:port`, `*.domain`, or `*` for all public hosts; ports default to 80 and 443. */
  readonly allow: readonly string[];
  /** Addresses of this host or a private network that are permitted nevertheless. */
  readonly innerAddresses?: readonly string[];
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

interface Rule {
  readonly host: string;
  readonly port: string;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

const maxConnections = 256;
const maxRefused = 1_000;
const idleMs = 120_000;
const connectMs = 20_000;

class Refusal extends Error {
  constructor(
    readonly status: 400 | 403 | 502,
    message: string,
  ) {
    super(message);
  }
}

/**
 * A proxy to allowed hosts only. It resolves names, refuses addresses that are not public, and connects to the very
 * address that it checked: DNS rebinding gains nothing.
 */
export class EgressProxy {
  readonly #rules: readonly Rule[];
  readonly #inner: ReadonlySet<string>;
  readonly #resolve: (host: string) => Promise<readonly string[]>;
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #refused = new Map<string, string>();

  constructor({ allow, innerAddresses = [], resolve = addressesOf }: EgressOptions) {
    this.#rules = allow.map(parseRule);
    this.#inner = new Set(innerAddresses);
    this.#resolve = resolve;
    this.#server = createServer((request, response) => void this.#forward(request, response));
    this.#server.on(
      'connect',
      (request: IncomingMessage, client: Duplex, head: Buffer) => void this.#tunnel(request, client, head),
    );
    this.#server.on('connection', (socket: Socket) => this.#track(socket));
    this.#server.maxConnections = maxConnections;
  }

  serve(listening: NetServer): void {
    this.#server.listen(listening);
    this.#server.unref();
  }

  /** Returns why the last request was refused, if it was. */
  refusal(url: URL): string | undefined {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.#refused.get(`${normalizeHost(url.hostname)}:${port}`);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = URL.parse(request.url ?? '');
      if (url?.protocol !== 'http:') throw new Refusal(400, 'the proxy supports http:// and CONNECT only');
      const target = { host: normalizeHost(url.hostname), port: Number(url.port || 80) };
      const socket = await this.#reach(target);
      // The checked host, whatever the request claims.
      const headers = { ...endToEndRequest(request.headers), host: url.host };
      const path = `${url.pathname}${url.search}`;
      const onward = httpRequest({ method: request.method ?? 'GET', path, headers, createConnection: () => socket });
      onward.once('response', (answer) => {
        try {
          response.writeHead(answer.statusCode ?? 502, endToEndHeaders(answer.headers));
          pipeline(answer, response, () => socket.destroy());
        } catch {
          // Not every status and header that the parser accepts may be written.
          socket.destroy();
          refuse(response, new Refusal(502, `${target.host} sent an invalid HTTP response`));
        }
      });
      onward.on('error', () => refuse(response, new Refusal(502, `${target.host} does not answer`)));
      response.once('close', () => socket.destroy());
      pipeline(request, onward, () => undefined);
    } catch (error) {
      refuse(response, error);
    }
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    try {
      const url = URL.parse(`http://${request.url ?? ''}`);
      const port = /:(\d+)$/.exec(request.url ?? '')?.[1];
      if (!url || !port) throw new Refusal(400, 'CONNECT needs a host and a port');
      const socket = await this.#reach({ host: normalizeHost(url.hostname), port: Number(port) });
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.write(head);
      pipeline(client, socket, client, () => {
        socket.destroy();
        client.destroy();
      });
    } catch (error) {
      const { status, message } = asRefusal(error);
      client.end(`HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${message}\n`);
    }
  }

  async #reach(target: Target): Promise<Socket> {
    const name = `${target.host}:${target.port}`;
    try {
      const socket = await this.#connect(target);
      this.#refused.delete(name);
      return socket;
    } catch (error) {
      if (this.#refused.size >= maxRefused) this.#refused.clear();
      this.#refused.set(name, asRefusal(error).message);
      throw error;
    }
  }

  async #connect({ host, port }: Target): Promise<Socket> {
    if (!this.#rules.some((rule) => fits(rule, host, port))) {
      throw new Refusal(403, `host not in allow: ${host}:${port}`);
    }
    const addresses = isIP(host) ? [host] : await this.#resolve(host).catch(() => []);
    if (addresses.length === 0) throw new Refusal(502, `cannot resolve ${host}`);
    const good = addresses.filter(
      (address) => isIP(address) && (this.#inner.has(address) || isOutsideAddress(address)),
    );
    if (good.length === 0) throw new Refusal(403, `${host} is not a public address`);
    for (const address of good) {
      const socket = await dial(address, port);
      if (!socket) continue;
      this.#track(socket);
      return socket;
    }
    throw new Refusal(502, `cannot reach ${host}:${port}`);
  }
}

/** Returns null if nothing answers. The numeric address prevents a second lookup. */
function dial(address: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: connectMs });
    const fail = () => {
      socket.destroy();
      resolve(null);
    };
    socket.once('timeout', fail);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('timeout', fail);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

async function addressesOf(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function parseRule(text: string): Rule {
  const match = /^(\*|(?:\*\.)?[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i.exec(text);
  const [, host = '', port = ''] = match ?? [];
  if (!match || Number(port) > 65_535 || (host.startsWith('*.') && isIP(host.slice(2)))) {
    throw new GyreError('bad_input', `${JSON.stringify(text)} is not a host`, {
      field: 'network.allow',
      fix: 'use host, host:port, *.domain or *',
    });
  }
  return { host: normalizeHost(host), port };
}

function fits(rule: Rule, host: string, port: number): boolean {
  if (rule.port ? Number(rule.port) !== port : port !== 80 && port !== 443) return false;
  if (rule.host === '*') return true;
  if (rule.host.startsWith('*.')) return host.endsWith(rule.host.slice(1));
  return host === rule.host;
}

const normalizeHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal(502, String(error));
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } = asRefusal(error);
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${message}\n`);
}
