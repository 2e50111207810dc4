import { GyreError } from '@gyre/protocol';
import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import type { z } from 'zod';
import { promptBody } from './promptPicture.js';
import { parseServerJson, serverMessage } from './serverMessage.js';

export interface ServerOptions {
  /** Of the server up to and with its version: `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  /** The model's name there. */
  readonly model: string;
  /** Default: none is sent that means anything. */
  readonly apiKey?: string | undefined;
  /** How long one try may take, to the end of its answer. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first, further and further apart. Default 4. */
  readonly retries?: number | undefined;
  /** What carries requests. Default: the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

export interface PostOptions<T> {
  /** What an answer has to be. Anything else is a failure of the server, and asked for again. */
  readonly shape: z.ZodType<T>;
  readonly signal?: AbortSignal | undefined;
  /** What to do where the answer has another shape. */
  readonly fix?: string;
}

/** A request that a model server has refused: it would be refused again. */
export class ModelRefusal extends GyreError {
  constructor(
    message: string,
    /** Of HTTP, or that of an error in an answer of status 200. */
    readonly status: number,
    detail: { field: string; fix: string; cause: unknown },
  ) {
    super('bad_input', message, { ...detail, part: 'model_server' });
  }

  /** Whether it may be what was asked that was refused, and not who asked or for which model. */
  get ofRequest(): boolean {
    return [400, 413, 422].includes(this.status);
  }
}

/** The largest answer that is read, in bytes. */
const largestAnswer = 256 * 1024 * 1024;

/** A server of models: requests in JSON with time limits, tries again, and errors that say what to do. */
export class ModelConnection {
  readonly #client: OpenAI;

  constructor(readonly options: ServerOptions) {
    if (!URL.canParse(options.url) || !/^https?:/.test(options.url)) {
      throw new GyreError('bad_input', `"${options.url}" is no address of a model server`, {
        field: 'url',
        fix: 'give one such as http://127.0.0.1:8000/v1',
      });
    }
    this.#client = new OpenAI({
      baseURL: options.url,
      apiKey: options.apiKey ?? 'none',
      timeout: options.timeoutMs ?? 120_000,
      maxRetries: options.retries ?? 4,
    });
  }

  /**
   * Posts a request and returns its answer. An answer that is none (an error in a status of 200, a page, another shape) counts as a failed try.
   *
   * @param path below the address with its version, or a whole address.
   * @throws GyreError `infra` where the server cannot be reached, answers too late, fails or answers what is no answer, after all tries.
   * @throws ModelRefusal where it refuses the request: a wrong key, an unknown model, a prompt that is too long.
   */
  async post<T>(path: string, body: object, { shape, signal, fix }: PostOptions<T>): Promise<T> {
    return this.#client
      .withOptions({ fetch: wholeAnswer(this.options.fetch ?? fetch, shape) })
      .post<T>(path, {
        body: promptBody(body),
        headers: { 'content-type': 'application/json' },
        // The SDK never takes its listeners off a signal: this one goes with the call.
        ...(signal && { signal: AbortSignal.any([signal]) }),
      })
      .catch((error: unknown) => {
        throw this.#told(error, fix);
      });
  }

  #told(error: unknown, fix: string | undefined): unknown {
    const { url, model, timeoutMs = 120_000 } = this.options;
    if (error instanceof APIUserAbortError || !(error instanceof APIError)) return error;
    if (error instanceof APIConnectionError) {
      const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
      return new GyreError('infra', `the model server at ${url} does not answer (${error.message}${cause})`, {
        field: 'url',
        part: 'model_server',
        fix: `see whether it runs, and answers within ${timeoutMs / 1000} s`,
        cause: error,
      });
    }
    const status = typeof error.status === 'number' ? error.status : 500;
    const { message: words = error.message } = (error.error ?? {}) as { message?: string };
    const message = `the model server at ${url} answers ${words}`;
    const detail = {
      field: status === 404 ? 'model' : status === 401 || status === 403 ? 'apiKey' : 'url',
      fix: status === 404 ? `see whether it serves "${model}"` : (fix ?? 'see what the server logs'),
      cause: error,
    };
    const refused = status >= 400 && status < 500 && ![408, 409, 429].includes(status);
    return refused
      ? new ModelRefusal(message, status, detail)
      : new GyreError('infra', message, { ...detail, part: 'model_server' });
  }
}

/** Headers that tell the SDK when to try again. */
const passedOn = ['retry-after', 'retry-after-ms', 'x-should-retry', 'x-request-id'];

/**
 * Gives an answer when all of it is there, and as an error where it is none. The time limit and the retries of the SDK reach to the head of
 * an answer alone: one that stalls or breaks off behind it would be waited for without end, or fail at once, and one that is no answer would
 * be taken for one. It is read once: it has tens of thousands of ids.
 */
function wholeAnswer(carry: typeof fetch, shape: z.ZodType): typeof fetch {
  return async (...request) => {
    const answer = await carry(...request);
    const text = await textOf(answer);
    const read = answer.ok ? readAnswer(answer, text, shape) : failed(answer, text);
    const headers = new Headers({ 'content-type': 'application/json' });
    for (const name of passedOn) {
      const value = answer.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const fault = 'fault' in read ? read.fault : undefined;
    const given = 'fault' in read ? { error: { message: read.fault.words } } : read.value;
    return Object.assign(new Response(null, { status: fault?.status ?? 200, headers }), {
      text: () => Promise.resolve(JSON.stringify(given)),
      json: () => Promise.resolve(given),
    });
  };
}

async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > largestAnswer) throw new Error(`its answer is larger than ${largestAnswer / 2 ** 20} MiB`);
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

type Read = { readonly value: unknown } | { readonly fault: { readonly status: number; readonly words: string } };

function failed({ status, statusText }: Response, text: string): Read {
  const words = serverMessage(text) || statusText;
  // Nothing that a server says of itself may look like an answer to the SDK.
  return {
    fault: { status: status < 400 ? 502 : status, words: words === '' ? String(status) : `${status}: ${words}` },
  };
}

function readAnswer({ status }: Response, text: string, shape: z.ZodType): Read {
  const json = parseServerJson(text);
  const parsed = shape.safeParse(json);
  if (json !== undefined && parsed.success) return { value: parsed.data };
  const words = serverMessage(text) || 'nothing';
  // Failed, for the SDK: it is tried again, unless the error has the number of a refusal.
  if (json === undefined) return { fault: { status: 502, words: `${status} with what is no JSON: ${words}` } };
  const error = errorIn(json);
  if (error !== undefined) return { fault: { status: statusOf(error), words: `${status} with an error: ${words}` } };
  const [issue] = parsed.error?.issues ?? [];
  const what = [issue?.path.join('.'), issue?.message].filter((part) => part !== undefined && part !== '').join(': ');
  return { fault: { status: 502, words: `${status} with what is no answer (${what}): ${words}` } };
}

/** The error that stands in the place of an answer, or, as OpenRouter has it, of a choice. */
function errorIn(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return undefined;
  const { error, choices } = (Array.isArray(json) ? (json[0] ?? {}) : json) as { error?: unknown; choices?: unknown };
  if (error !== undefined && error !== null) return error;
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  return (choice as { error?: unknown } | null | undefined)?.error ?? undefined;
}

/** The status that an error in an answer tells by a number; else that of a failure. */
function statusOf(error: unknown): number {
  const { code, status } = error as { code?: unknown; status?: unknown };
  const told = [code, status].map(Number).find((number) => Number.isInteger(number) && number >= 400 && number < 600);
  return told ?? 502;
}
