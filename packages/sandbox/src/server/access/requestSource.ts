import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { GyreError } from '@gyre/protocol';

/** `port` may be empty. */
interface Named {
  readonly name: string;
  readonly port: string;
}

export interface Sent {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Node's `headers` drops duplicates. */
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly localAddress?: string | undefined; readonly localPort?: number | undefined };
}

export interface SourceOptions {
  readonly host: string;
  /** Such as `gyre.example` or `gyre.example:8443`. */
  readonly allowHosts?: readonly string[] | undefined;
  /** Such as `https://studio.example`. */
  readonly allowOrigins?: readonly string[] | undefined;
}

/** For foreign pages. */
export interface OpenToPages {
  /** By links. */
  readonly navigable?: boolean | undefined;
  /** The path is a secret. */
  readonly anyOrigin?: boolean | undefined;
}

/** Refuses requests forged by foreign pages: by Host (DNS rebinding), Origin and Sec-Fetch-Site. */
export class RequestSource {
  readonly #listening: string;
  readonly #hosts: readonly Named[];
  readonly #origins: ReadonlySet<string>;

  /** Throws `bad_input` for a malformed host or origin. */
  constructor({ host, allowHosts = [], allowOrigins = [] }: SourceOptions) {
    this.#listening = host.toLowerCase();
    this.#hosts = allowHosts.map((text) => {
      const named = hostOf(text);
      if (named) return named;
      throw new GyreError('bad_input', `${JSON.stringify(text)} is not a host`, {
        field: '--allow-host',
        fix: 'use a name or an address, with or without a port: gyre.example, 192.168.1.5:8700',
      });
    });
    this.#origins = new Set(
      allowOrigins.map((text) => {
        const url = URL.parse(text);
        if (url && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, '').toLowerCase())
          return url.origin;
        throw new GyreError('bad_input', `${JSON.stringify(text)} is not an origin`, {
          field: '--allow-origin',
          fix: 'use an origin without a path, such as https://studio.example',
        });
      }),
    );
  }

  /** Throws `bad_input` for malformed hosts or origins. */
  refusal(sent: Sent, open: OpenToPages = {}): { readonly message: string; readonly fix: string } | undefined {
    const hosts = hostsOf(sent.rawHeaders);
    const named = hosts.length === 1 ? hostOf(hosts[0] ?? '') : undefined;
    if (!named) return { message: 'the request has no Host header, or several', fix: 'send one Host header' };
    if (!this.#isOwn(named, sent.socket)) {
      return {
        message: `the server does not accept the host ${named.name}${named.port && `:${named.port}`}`,
        fix: `use its own address, or start it with --allow-host ${named.name}`,
      };
    }
    if (open.anyOrigin) return undefined;
    const { origin } = sent.headers;
    if (origin !== undefined) {
      if (this.allowsOrigin(origin) || isSame(origin, hosts[0] ?? '')) return undefined;
      return {
        message: `pages of ${origin === 'null' ? 'no origin' : origin} may not use the server`,
        fix: 'use another program, or start the server with --allow-origin and the origin of the page',
      };
    }
    const site = sent.headers['sec-fetch-site'];
    // Programs send none. Another port of this machine is same-site, but not same-origin.
    if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
    const followed = sent.method === 'GET' && sent.headers['sec-fetch-mode'] === 'navigate';
    if (open.navigable && followed && sent.headers['sec-fetch-dest'] === 'document') return undefined;
    return { message: 'a page of another site may not use the server', fix: 'open its address directly' };
  }

  allowsOrigin(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  #isOwn({ name, port }: Named, { localAddress, localPort }: Sent['socket']): boolean {
    if (this.#hosts.some((allowed) => allowed.name === name && (allowed.port === '' || allowed.port === port)))
      return true;
    if (Number(port || 80) !== localPort) return false;
    return isLoopback(name) || name === this.#listening || (isIP(name) !== 0 && name === plain(localAddress ?? ''));
  }
}

export function isLoopback(host: string): boolean {
  const address = plain(host.toLowerCase());
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

/** Unwraps an IPv4-mapped address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

function hostOf(text: string): Named | undefined {
  const [, bracketed, name = bracketed, port = ''] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (name === undefined || (bracketed !== undefined && isIP(bracketed) !== 6)) return undefined;
  return { name: plain(name.toLowerCase()), port };
}

function hostsOf(rawHeaders: readonly string[]): string[] {
  const hosts: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[index + 1] ?? '');
  }
  return hosts;
}

function isSame(origin: string, host: string): boolean {
  const [url, target] = [URL.parse(origin), URL.parse(`http://${host}`)];
  return url !== null && target !== null && /^https?:$/.test(url.protocol) && url.host === target.host;
}
