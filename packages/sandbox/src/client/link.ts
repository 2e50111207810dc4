import { type ErrorCode, GyreError, traced, traceHeaders } from '@gyre/protocol';
import type { z } from 'zod';
import type { CdpEndpoint } from '../browser/cdp/endpoint.js';
import { Failure } from '../wire/failure.js';
import { addressOf, type ReplyOf, type RequestOf, type Route } from '../wire/route.js';

export interface ClientOptions {
  /** E.g. http://127.0.0.1:8700. */
  readonly url: string;
  readonly token: string;
  /** Per reply. Default: 2 minutes. */
  readonly timeoutMs?: number;
}

/** Throws the server's error, or `infra` without a valid reply. */
export type Call = <Declared extends Route>(
  declared: Declared,
  request: RequestOf<Declared>,
) => Promise<ReplyOf<Declared>>;

type Binary = Route & { readonly reply: 'image/png' | 'application/octet-stream' };

export type ReadBytes = <Declared extends Binary>(
  declared: Declared,
  request: RequestOf<Declared>,
) => Promise<Uint8Array<ArrayBuffer>>;

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export class Link {
  readonly #base: URL;
  readonly #token: string;
  readonly #timeoutMs: number;

  /** Throws `bad_input` for an address that is not HTTP. */
  constructor({ url, token, timeoutMs = 120_000 }: ClientOptions) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new GyreError('bad_input', `${url} is not a server address`, {
        field: 'url',
        fix: 'use an address such as http://127.0.0.1:8700',
      });
    }
    this.#base = new URL(url);
    this.#token = token;
    this.#timeoutMs = timeoutMs;
  }

  readonly call: Call = async <Declared extends Route>(declared: Declared, request: RequestOf<Declared>) => {
    const response = await this.send(declared, request);
    const { reply } = declared as Route;
    if (typeof reply === 'string') return response as ReplyOf<Declared>;
    if (reply === undefined) return undefined as ReplyOf<Declared>;
    return parsed(declared, reply, await response.json().catch(() => undefined)) as ReplyOf<Declared>;
  };

  /** Reads a body to its end. Throws the server's error, or `infra` for a body that is cut off. */
  readonly bytes: ReadBytes = async (declared, request) => {
    const response = await this.send(declared, request);
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw this.#unanswered(cause);
    }
  };

  address(path: string): URL {
    return new URL(path, this.#base);
  }

  socket(declared: Route & { readonly reply: 'websocket' }, { params, query }: Parts): CdpEndpoint {
    return {
      url: this.address(addressOf(declared, params, query)).href.replace(/^http/, 'ws'),
      headers: { authorization: `Bearer ${this.#token}` },
      // The server closes it with the session.
      close: () => Promise.resolve(),
    };
  }

  /**
   * Resolves with the response, its body unread.
   *
   * @param signal replaces the timeout.
   */
  async send<Declared extends Route>(
    declared: Declared,
    request: RequestOf<Declared>,
    signal: AbortSignal = AbortSignal.timeout(this.#timeoutMs),
  ): Promise<Response> {
    const { method: methods, path } = declared as Route;
    const method = typeof methods === 'string' ? methods : methods[0];
    const attributes = { 'http.request.method': method, 'url.template': path, 'server.address': this.#base.hostname };
    return traced(`${method} ${path}`, { kind: 'client', attributes }, async (span) => {
      const response = await this.#fetch(declared, request as Parts, method, signal);
      span.setAttribute('http.response.status_code', response.status);
      return succeeded(response);
    });
  }

  async #fetch(
    declared: Route,
    { params, query, body }: Parts,
    method: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const type = typeof declared.body === 'string' ? declared.body : 'application/json';
    return fetch(this.address(addressOf(declared, params, query)), {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': type }),
        ...traceHeaders(),
      },
      body: body instanceof Uint8Array ? Buffer.from(body) : body === undefined ? undefined : JSON.stringify(body),
      signal,
    }).catch((cause: unknown) => {
      throw this.#unanswered(cause);
    });
  }

  #unanswered(cause: unknown): GyreError {
    return new GyreError('infra', `${this.#base.origin} does not answer: ${reasonOf(cause)}`, {
      part: 'remote',
      field: 'url',
      fix: 'check that the server is running and reachable',
      cause,
    });
  }
}

/** Throws the server's error. */
async function succeeded(response: Response): Promise<Response> {
  if (response.ok) return response;
  const failure = Failure.safeParse(await response.json().catch(() => undefined));
  if (!failure.success)
    throw new GyreError('infra', `the server answered with status ${response.status}`, { part: 'remote' });
  const { code, message, field, fix, part } = failure.data.error;
  const known = errorCode(code, response.status);
  if (known === 'infra') throw new GyreError(known, message, { field, fix, part: part ?? 'remote' });
  throw new GyreError(known, message, { field, fix, part });
}

/** Throws `infra` with the field that does not fit. */
export function parsed<Schema extends z.ZodType>(
  { method, path }: Pick<Route, 'method' | 'path'>,
  schema: Schema,
  reply: unknown,
): z.output<Schema> {
  const result = safelyParsed(schema, reply);
  if (result?.success) return result.data;
  const issue = result?.error.issues[0];
  const field = issue?.path.join('.') || 'body';
  const wrong = `${field}: ${issue?.message ?? 'nested too deeply'}`.slice(0, 200);
  throw new GyreError('infra', `the server answered ${String(method)} ${path} with an invalid reply: ${wrong}`, {
    part: 'remote',
    field,
    fix: 'use a server of the same version as the client',
  });
}

function safelyParsed<Schema extends z.ZodType>(
  schema: Schema,
  reply: unknown,
): z.ZodSafeParseResult<z.output<Schema>> | undefined {
  try {
    return schema.safeParse(reply);
  } catch (error) {
    // Endless trees overflow the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const errorCodes: readonly ErrorCode[] = ['bad_input', 'missing', 'corrupt', 'infra', 'bug', 'storage', 'held'];

/** Decides unknown codes by status: the session ended, or the caller erred. */
function errorCode(code: string, status: number): ErrorCode {
  return errorCodes.find((known) => known === code) ?? (status === 404 || status >= 429 ? 'infra' : 'bad_input');
}

function reasonOf(cause: unknown): string {
  const { name, message, cause: inner } = cause as Error;
  if (name === 'TimeoutError') return 'the request timed out';
  return inner instanceof Error ? inner.message : message;
}
