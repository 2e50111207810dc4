import { GyreError } from '@gyre/protocol';
import { endToEndHeaders } from '@gyre/sandbox';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { ApiError } from '../policy/endpoint/chatApi.js';

const ownHeaders: ReadonlySet<string> = new Set(['host', 'content-length', 'x-gyre-session', 'x-gyre-token']);

/** Returns end-to-end headers, without CORS: the gateway sets its own. */
export function forwardedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed = Object.entries(endToEndHeaders(headers)).filter(
    ([name, value]) => value !== undefined && !ownHeaders.has(name) && !name.startsWith('access-control-'),
  );
  return Object.fromEntries(passed) as Record<string, string | string[]>;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** With query: `/chat/completions`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Has no timeout: agents set their own. */
export class Upstream {
  readonly #url: URL;

  /** @throws GyreError `bad_input` for an invalid address. */
  constructor(url: string) {
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw new GyreError('bad_input', `"${url}" is not the URL of a model server`, {
        field: 'upstream',
        fix: 'use a URL such as http://127.0.0.1:8000/v1',
      });
    }
    this.#url = new URL(url);
  }

  /** Returns the address without credentials. */
  get name(): string {
    return `${this.#url.origin}${this.#url.pathname.replace(/\/$/, '')}`;
  }

  /** @throws ApiError 502 if it is unreachable. */
  ask({ method, path, headers, body, signal }: UpstreamRequest): Promise<IncomingMessage> {
    const target = new URL(this.name + path);
    // Answers are parsed here, so avoid compression.
    const { 'accept-encoding': _, ...sent } = forwardedHeaders(headers);
    const { request } = target.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const { username, password } = this.#url;
      const auth = username === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` };
      // A pooled connection may be dead.
      const call = request(target, { method, headers: sent, ...auth, signal, agent: false }, resolve);
      call.on('error', (error) => reject(signal.aborted ? givenUp() : this.#unreachable(error)));
      call.end(body);
    });
  }

  #unreachable(error: Error): ApiError {
    const { code = error.message } = error as NodeJS.ErrnoException;
    const message = `the upstream at ${this.name} does not answer (${code}): check that it is running and that --upstream is its URL`;
    return new ApiError(502, message, { code: 'upstream_unreachable' });
  }
}

/** Seen by agents only when the gateway closes. */
const givenUp = () => new ApiError(503, 'the gateway is closing', { code: 'closing' });
