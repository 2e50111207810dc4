import { GyreError } from '@gyre/protocol';
import { endToEndHeaders } from '@gyre/sandbox';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { ApiError } from '../policy/endpoint/chatApi.js';

/** Said anew for what is sent on, or meant for the gateway alone. */
const ownHeaders: ReadonlySet<string> = new Set(['host', 'content-length', 'x-gyre-session', 'x-gyre-token']);

/** The headers that go on from one connection to the next. Which pages may read an answer is the gateway's to say. */
export function passedOn(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = Object.entries(endToEndHeaders(headers)).filter(
    ([name, value]) => value !== undefined && !ownHeaders.has(name) && !name.startsWith('access-control-'),
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

/** What is asked of an upstream. */
export interface Asked {
  readonly method: 'GET' | 'POST';
  /** Below the address of the upstream, with its query: `/chat/completions`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** A server of OpenAI's API, whose answers are passed on. It may take as long as the agent waits. */
export class Upstream {
  readonly #url: URL;

  /** @throws GyreError `bad_input` for what is no address of http. */
  constructor(url: string) {
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw new GyreError('bad_input', `"${url}" is no address of a model server`, {
        field: 'upstream',
        fix: 'give one such as http://127.0.0.1:8000/v1',
      });
    }
    this.#url = new URL(url);
  }

  /** Where it is, without what a password or a key may stand in. */
  get name(): string {
    return `${this.#url.origin}${this.#url.pathname.replace(/\/$/, '')}`;
  }

  /** @throws ApiError 502 where it cannot be reached. */
  ask({ method, path, headers, body, signal }: Asked): Promise<IncomingMessage> {
    const target = new URL(this.name + path);
    // An answer that is read here comes as it is.
    const { 'accept-encoding': _, ...sent } = passedOn(headers);
    const { request } = target.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const { username, password } = this.#url;
      const auth = username === '' ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` };
      // A connection for each call: one that is kept may be dead when it is needed.
      const call = request(target, { method, headers: sent, ...auth, signal, agent: false }, resolve);
      call.on('error', (error) => reject(signal.aborted ? givenUp() : this.#unreachable(error)));
      call.end(body);
    });
  }

  #unreachable(error: Error): ApiError {
    const { code = error.message } = error as NodeJS.ErrnoException;
    const message = `the upstream at ${this.name} does not answer (${code}): see whether it runs, and whether --upstream is its address`;
    return new ApiError(502, message, { code: 'upstream_unreachable' });
  }
}

/** Heard by an agent only where the gateway is closed: another reason is that the agent has gone. */
const givenUp = () => new ApiError(503, 'the gateway is being closed', { code: 'closing' });
