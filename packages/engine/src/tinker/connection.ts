import { setTimeout as delay } from 'node:timers/promises';
import { GyreError, traceHeaders } from '@gyre/protocol';
import { z } from 'zod';
import { answerBody } from '../served/answerBody.js';
import { parseServerJson, serverMessage } from '../served/serverMessage.js';
import { fieldOf, refusal, unavailable, unexpected } from './serverFault.js';

export interface TinkerServerOptions {
  /** Such as `http://127.0.0.1:8000`, with or without `/api/v1`. */
  readonly url: string;
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string | undefined;
  /** Per try, body included. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Default 4, with exponential backoff. */
  readonly retries?: number | undefined;
  /** Before the first retry; doubles up to 8 s. Default 500. */
  readonly backoffMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface TinkerCall {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Bytes are protobuf, other bodies JSON. */
  readonly body?: object | Uint8Array;
  /** Whether a second delivery does no harm. Other calls are retried only after 429, which no server has carried out. */
  readonly isRepeatable: boolean;
  /** Statuses to return instead of throwing. */
  readonly expects?: readonly number[];
  /** Default: that of the connection. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export type TinkerAnswer = { readonly status: number } & ({ readonly json: unknown } | { readonly bytes: Buffer });

const temporary = [408, 429, 502, 503, 504];
const longestBackoffMs = 8_000;
const mostRedirects = 5;
/** Announced as the form of a later version of Tinker's service. */
const Elsewhere = z.object({ url: z.string() });

function isWeb(address: string, base: string): boolean {
  return URL.canParse(address, base) && /^https?:$/.test(new URL(address, base).protocol);
}

/** Aborts a download that has stopped, and joins the caller's signal. */
class Stall {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor(ms: number, signal: AbortSignal) {
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no data for ${ms / 1_000} s`)), ms);
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
  }

  restart(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Sends calls to a Tinker server, with retries. */
export class TinkerConnection {
  readonly #options: TinkerServerOptions;
  readonly #root: string;

  /** @throws GyreError `bad_input` for a malformed URL. */
  constructor(options: TinkerServerOptions) {
    if (!URL.canParse(options.url) || !/^https?:/.test(options.url)) {
      throw new GyreError('bad_input', `"${options.url}" is not the URL of a Tinker server`, {
        field: 'url',
        fix: 'use a URL such as http://127.0.0.1:8000',
      });
    }
    this.#options = options;
    this.#root = `${options.url.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`;
  }

  get url(): string {
    return this.#options.url;
  }

  /**
   * @throws GyreError `bad_input` for a refusal, with the server's words and the field that they name; `infra` if every
   *   try fails
   */
  async send(call: TinkerCall): Promise<TinkerAnswer> {
    const { retries = 4, backoffMs = 500 } = this.#options;
    for (let tries = 0; ; tries++) {
      const { answer, failure, isSafe } = await this.#try(call);
      if (answer) return answer;
      if (!isSafe || tries >= retries) throw failure;
      await delay(Math.min(backoffMs * 2 ** tries, longestBackoffMs), undefined, { signal: call.signal }).catch(() =>
        call.signal?.throwIfAborted(),
      );
    }
  }

  /**
   * Opens a download. Redirects are followed without the key, and to http and https alone: Tinker's service stores
   * archives elsewhere.
   *
   * @returns chunks, each of which may take as long as a call
   * @throws GyreError as `send` does, also while the chunks are read
   */
  async download(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { apiKey, retries = 4, backoffMs = 500, timeoutMs = 120_000, fetch: carry = fetch } = this.#options;
    let address = `${this.#root}/${path}`;
    for (let tries = 0, redirects = 0; ;) {
      const stall = new Stall(timeoutMs, signal);
      const isOwn = address.startsWith(`${this.#root}/`);
      const headers = new Headers(isOwn && apiKey !== undefined ? { 'x-api-key': apiKey } : undefined);
      const answer = await carry(address, { headers, redirect: 'manual', signal: stall.signal }).catch(
        (cause: unknown) => {
          stall.end();
          signal.throwIfAborted();
          throw unavailable(this.url, cause);
        },
      );
      const isArchive = answer.ok && !(answer.headers.get('content-type') ?? '').includes('json');
      if (isArchive && answer.body) return this.#chunks(answer.body, stall, signal);
      const text = (await answerBody(answer).finally(() => stall.end())).toString();
      const next = answer.headers.get('location') ?? Elsewhere.safeParse(parseServerJson(text)).data?.url;
      if (next !== undefined && answer.status < 400 && redirects < mostRedirects && isWeb(next, address)) {
        address = new URL(next, address).href;
        redirects++;
      } else if (temporary.includes(answer.status) && tries < retries) {
        const pause = Math.min(backoffMs * 2 ** tries++, longestBackoffMs);
        await delay(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
      } else if (answer.status < 400) {
        throw unexpected(this.url, path, 'it is not an archive');
      } else {
        throw refusal({ url: this.url, status: answer.status, words: serverMessage(text), path });
      }
    }
  }

  async *#chunks(body: AsyncIterable<Uint8Array>, stall: Stall, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        stall.restart();
        yield chunk;
        stall.restart();
      }
    } catch (cause) {
      signal.throwIfAborted();
      throw unavailable(this.url, cause);
    } finally {
      stall.end();
    }
  }

  async #try(call: TinkerCall): Promise<Try> {
    const { path, isRepeatable, expects = [], signal } = call;
    signal?.throwIfAborted();
    const delivered = await this.#deliver(call).catch((cause: unknown) => {
      signal?.throwIfAborted();
      return { failure: unavailable(this.url, cause) };
    });
    if ('failure' in delivered) return { failure: delivered.failure, isSafe: isRepeatable };
    const { status, type, body } = delivered;
    if (status === 204) return { answer: { status, json: undefined } };
    if (status < 300 || expects.includes(status)) {
      if (/protobuf|octet-stream|zip|x-tar/.test(type)) return { answer: { status, bytes: body } };
      const json = parseServerJson(body.toString());
      if (json !== undefined) return { answer: { status, json } };
    }
    const text = body.toString();
    const fault = { url: this.url, status, words: serverMessage(text), field: fieldOf(parseServerJson(text)), path };
    return { failure: refusal(fault), isSafe: status === 429 || (isRepeatable && temporary.includes(status)) };
  }

  async #deliver({ method = 'POST', path, body, timeoutMs, signal }: TinkerCall): Promise<Delivered> {
    const { apiKey, timeoutMs: longest = 120_000, fetch: carry = fetch } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs ?? longest);
    const isBinary = body instanceof Uint8Array;
    const answer = await carry(`${this.#root}/${path}`, {
      method,
      headers: {
        accept: 'application/x-protobuf, application/json',
        ...(body && { 'content-type': isBinary ? 'application/x-protobuf' : 'application/json' }),
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...traceHeaders(),
      },
      ...(body && { body: isBinary ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      body: await answerBody(answer),
    };
  }
}

type Try =
  | { readonly answer: TinkerAnswer; readonly failure?: never; readonly isSafe?: never }
  | { readonly answer?: never; readonly failure: GyreError; readonly isSafe: boolean };

interface Delivered {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}
