import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { GyreError } from '@gyre/protocol';
import { HttpError } from './httpError.js';

export interface GuardOptions {
  /** Default 127.0.0.1. Others require a token. */
  readonly host?: string | undefined;
  /** Sent as `Authorization: Bearer`, or as `X-API-Key` by Tinker's SDK. Default: open. */
  readonly tokens?: readonly string[] | undefined;
  /** Further names that clients may use, such as `gyre.example`. */
  readonly allowHosts?: readonly string[] | undefined;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** Refuses requests without a token, of web pages, and for another host (DNS rebinding). */
export class RequestGuard {
  readonly #host: string;
  readonly #tokens: readonly Buffer[];
  readonly #allowHosts: readonly string[];

  /** @throws GyreError `bad_input` for a public host without a token. */
  constructor({ host = '127.0.0.1', tokens = [], allowHosts = [] }: GuardOptions) {
    if (!isLoopback(host) && tokens.length === 0) {
      throw new GyreError('bad_input', `${host} is reachable from other machines, but no token is required`, {
        field: '--host',
        fix: 'set --token or GYRE_TOKEN, or listen on 127.0.0.1',
      });
    }
    this.#host = host;
    this.#tokens = tokens.map(digest);
    this.#allowHosts = allowHosts.map((name) => name.toLowerCase());
  }

  /** @throws HttpError 403 for another host, and for web pages. */
  checkSource({ headers }: IncomingMessage): void {
    if (headers.origin !== undefined || /^(?:cross|same)-site$/.test(String(headers['sec-fetch-site']))) {
      throw new HttpError(403, 'web pages may not use this server');
    }
    const named = headers.host?.toLowerCase() ?? '';
    const name = named.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
    // An address cannot be rebound.
    const isKnown = isLoopback(name) || isIP(name) > 0 || name === this.#host;
    if (!isKnown && !this.#allowHosts.includes(name) && !this.#allowHosts.includes(named)) {
      throw new HttpError(403, 'the Host header names another host: allow it when the server starts', 'host');
    }
  }

  /** @throws HttpError 401. */
  checkToken({ headers }: IncomingMessage): void {
    if (this.#tokens.length === 0) return;
    const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? headers['x-api-key'];
    const candidate = digest(String(bearer));
    // Compares all, in constant time.
    const matches = this.#tokens.filter((token) => timingSafeEqual(token, candidate)).length;
    if (matches === 0) throw new HttpError(401, 'the token is missing or unknown: send X-API-Key', 'apiKey');
  }
}
