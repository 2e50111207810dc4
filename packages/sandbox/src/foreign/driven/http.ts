import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';

export interface Question {
  readonly method: 'GET' | 'POST';
  /** Relative to the server, such as `/screenshot`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: { readonly type: string; readonly bytes: Uint8Array };
  /** Changes nothing and may be retried. */
  readonly read?: boolean;
  readonly timeoutMs?: number;
  /** Statuses that the caller handles, in addition to 2xx. */
  readonly accept?: readonly number[];
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  readonly ms: number;
}

export interface HttpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

const attempts = 3;
const pauseMs = 200;

const longestAnswer = 2 ** 28;

/** The request never reached the server. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Uses a connection per request: a server may close an idle one just as it is reused, and actions cannot be resent. */
export class Http {
  onLost: () => void = () => {};
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();

  constructor({ url, headers, timeoutMs }: HttpOptions) {
    const base = URL.canParse(url) ? new URL(url) : undefined;
    if (base === undefined || !/^https?:$/.test(base.protocol)) {
      throw new GyreError('bad_input', `"${url}" is not a server address`, {
        field: 'url',
        fix: 'use an address such as http://192.168.1.5:5000',
      });
    }
    this.#base = base;
    this.#headers = headers;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Retries reads if the connection or server fails. Throws `infra` for timeouts, broken connections and unexpected
   * statuses, `bad_input` for a refused token.
   */
  async ask(question: Question): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return this.#checked(question, await this.#send(question));
      } catch (error) {
        const again = question.read === true && attempt < attempts && error instanceof HttpFailure && error.retryable;
        if (again && !this.#closing.signal.aborted) {
          await pause(pauseMs);
          continue;
        }
        if (error instanceof HttpFailure && error.lost) this.onLost();
        throw error;
      }
    }
  }

  close(): void {
    this.#closing.abort();
  }

  describe({ method, path }: Pick<Question, 'method' | 'path'>): string {
    return `${method} ${this.#base.origin}${this.#pathOf(path)}`;
  }

  #pathOf(path: string): string {
    return this.#base.pathname.replace(/\/$/, '') + path;
  }

  async #send(question: Question): Promise<Reply> {
    const { method, path, query = {}, json, timeoutMs = this.#timeoutMs } = question;
    const body =
      json === undefined ? question.body : { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) };
    const url = new URL(this.#pathOf(path), this.#base);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers: Record<string, string> = { accept: '*/*', ...this.#headers };
    if (body !== undefined) {
      headers['content-type'] = body.type;
      headers['content-length'] = String(body.bytes.length);
    } else if (method === 'POST') headers['content-length'] = '0';
    const begin = performance.now();
    const over = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([over, this.#closing.signal]);
    try {
      return await new Promise<Reply>((resolve, reject) => {
        const open = url.protocol === 'https:' ? requestSecure : requestPlain;
        const request = open(url, { method, headers, signal, agent: false }, (answer) => {
          const chunks: Buffer[] = [];
          let length = 0;
          answer.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            if ((length += chunk.length) > longestAnswer) {
              request.destroy(new Error(`the answer has more than ${longestAnswer} bytes`));
            }
          });
          answer.on('error', reject);
          answer.once('end', () => {
            const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
            const bytes = Buffer.concat(chunks);
            const ms = performance.now() - begin;
            resolve({ status: answer.statusCode!, headers: Object.fromEntries(named), bytes, ms });
          });
        });
        request.on('error', reject);
        request.end(body?.bytes);
      });
    } catch (cause) {
      throw this.#failure(question, timeoutMs, over.aborted, cause);
    }
  }

  #failure(question: Question, timeoutMs: number, timedOut: boolean, cause: unknown): HttpFailure {
    const requestName = this.describe(question);
    if (this.#closing.signal.aborted) {
      return new HttpFailure(`${requestName}: the connection was closed`, {
        field: 'url',
        fix: 'connect again',
        cause,
      });
    }
    if (timedOut) {
      const fix = 'check whether the machine hangs, or raise timeoutMs';
      const failure = new HttpFailure(`${requestName}: no answer in ${timeoutMs} ms`, {
        field: 'timeoutMs',
        fix,
        cause,
      });
      failure.timedOut = true;
      return failure;
    }
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reason = code === '' ? String(cause) : code;
    const lost = unreachable.has(code);
    const fix = lost ? 'check that the server is running and reachable' : 'check the log of the server on the machine';
    const failure = new HttpFailure(`${requestName}: ${reason}`, { field: 'url', fix, cause });
    failure.lost = lost;
    failure.retryable = true;
    return failure;
  }

  #checked(question: Question, reply: Reply): Reply {
    const { status } = reply;
    if ((status >= 200 && status <= 299) || question.accept?.includes(status)) return reply;
    const requestName = this.describe(question);
    if (status === 401 || status === 403) {
      throw new GyreError('bad_input', `${requestName}: refused (${status})${failureText(reply)}`, {
        field: 'token',
        fix: 'use the token of the server on the machine',
      });
    }
    const fix = 'check the log of the server on the machine';
    const failure = new HttpFailure(`${requestName}: status ${status}${failureText(reply)}`, { field: 'url', fix });
    failure.retryable = status >= 500;
    failure.answered = !failure.retryable;
    throw failure;
  }
}

/** Returns a canonical address; host aliases stay distinct. */
export function machineAddress(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

export class HttpFailure extends GyreError {
  retryable = false;
  /** The server works but does not know the request. */
  answered = false;
  /** The server accepted the request but did not reply in time. */
  timedOut = false;
  lost = false;

  constructor(message: string, detail: { field: string; fix: string; cause?: unknown }) {
    super('infra', message, { part: 'remote', ...detail });
  }
}

export function failureText({ bytes }: Pick<Reply, 'bytes'>): string {
  const text = bytes.subarray(0, 2_000).toString('utf8').replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `: ${text.slice(0, 300)}`;
}
