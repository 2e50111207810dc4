import { GyreError, traced, traceHeaders } from '@gyre/protocol';
import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { z } from 'zod';
import { answerBody } from './answerBody.js';
import { promptBody } from './promptPicture.js';
import { parseServerJson, serverMessage } from './serverMessage.js';

export interface ServerOptions {
  /** Such as `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Per try, body included. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Default 4, with exponential backoff. */
  readonly retries?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface PostOptions<T> {
  /** Other answers are retried. */
  readonly shape: z.ZodType<T>;
  readonly signal?: AbortSignal | undefined;
  readonly fix?: string;
  /** Fix for 404: the route or the model is missing. */
  readonly missingFix?: string;
  /** Takes the answer as text instead of JSON. */
  readonly isText?: boolean;
}

/** Operations of OpenTelemetry's conventions for GenAI, by the end of their path. */
const operations = [
  ['/chat/completions', 'chat'],
  ['/generate', 'text_completion'],
] as const;

const Usage = z.object({
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }),
});

export class ModelRefusal extends GyreError {
  constructor(
    message: string,
    /** HTTP status, or that of an error inside a 200. */
    readonly status: number,
    detail: { field: string; fix: string; cause: unknown },
  ) {
    super('bad_input', message, { ...detail, part: 'model_server' });
  }

  get concernsRequest(): boolean {
    return [400, 413, 422].includes(this.status);
  }
}

export class ModelConnection {
  readonly #client: OpenAI;

  constructor(readonly options: ServerOptions) {
    if (!URL.canParse(options.url) || !/^https?:/.test(options.url)) {
      throw new GyreError('bad_input', `"${options.url}" is not the URL of a model server`, {
        field: 'url',
        fix: 'use a URL such as http://127.0.0.1:8000/v1',
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
   * @param path below the base URL, or a whole URL
   * @throws GyreError `infra` if every try fails
   * @throws ModelRefusal
   */
  async post<T>(path: string, body: object, options: PostOptions<T>): Promise<T> {
    const { url, model } = this.options;
    const { hostname, pathname } = new URL(path.startsWith('/') ? `${url}${path}` : path);
    const operation = operations.find(([end]) => pathname.endsWith(end))?.[1];
    const genAi = operation && {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': model,
    };
    const attributes = { 'server.address': hostname, 'url.path': pathname, ...genAi };
    const name = operation ? `${operation} ${model}` : `POST ${pathname}`;
    return traced(name, { kind: 'client', attributes }, async (span) => {
      const answer = await this.#post(path, body, options);
      const { data: usage } = Usage.safeParse(answer);
      span.setAttributes({
        'gen_ai.usage.input_tokens': usage?.usage.prompt_tokens ?? undefined,
        'gen_ai.usage.output_tokens': usage?.usage.completion_tokens ?? undefined,
      });
      return answer;
    });
  }

  async #post<T>(path: string, body: object, options: PostOptions<T>): Promise<T> {
    const { signal } = options;
    return this.#client
      .withOptions({ fetch: validatingFetch(this.options.fetch ?? fetch, options) })
      .post<T>(path, {
        body: promptBody(body),
        headers: { 'content-type': 'application/json', ...traceHeaders() },
        // The SDK never removes its listeners; this signal is dropped with the call.
        ...(signal && { signal: AbortSignal.any([signal]) }),
      })
      .catch((error: unknown) => {
        throw this.#translated(error, options);
      });
  }

  #translated(error: unknown, { fix, missingFix }: Pick<PostOptions<unknown>, 'fix' | 'missingFix'>): unknown {
    const { url, model, timeoutMs = 120_000 } = this.options;
    if (error instanceof APIUserAbortError || !(error instanceof APIError)) return error;
    if (error instanceof APIConnectionError) {
      const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
      return new GyreError('infra', `the model server at ${url} does not answer (${error.message}${cause})`, {
        field: 'url',
        part: 'model_server',
        fix: `check that it is running and answers within ${timeoutMs / 1000} s`,
        cause: error,
      });
    }
    const status = typeof error.status === 'number' ? error.status : 500;
    const { message: words = error.message } = (error.error ?? {}) as { message?: string };
    const message = `the model server at ${url} answered ${words}`;
    const detail = {
      field: status === 404 ? 'model' : status === 401 || status === 403 ? 'apiKey' : 'url',
      fix: status === 404 ? (missingFix ?? `check that it serves "${model}"`) : (fix ?? "check the server's log"),
      cause: error,
    };
    const refused = status >= 400 && status < 500 && ![408, 409, 429].includes(status);
    return refused
      ? new ModelRefusal(message, status, detail)
      : new GyreError('infra', message, { ...detail, part: 'model_server' });
  }
}

const passedOn = ['retry-after', 'retry-after-ms', 'x-should-retry', 'x-request-id'];

/**
 * Wraps fetch to return only complete, valid answers. The SDK's timeout and retries end at the headers: a stalled body
 * would hang. The JSON is parsed once, since it may hold tens of thousands of ids.
 */
function validatingFetch(carry: typeof fetch, options: PostOptions<unknown>): typeof fetch {
  return async (...request) => {
    const answer = await carry(...request);
    const text = new TextDecoder().decode(await answerBody(answer));
    const read = answer.ok ? readAnswer(answer, text, options) : failed(answer, text);
    const headers = new Headers({ 'content-type': 'application/json' });
    for (const name of passedOn) {
      const value = answer.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    const fault = 'fault' in read ? read.fault : undefined;
    const body = 'fault' in read ? { error: { message: read.fault.words } } : read.value;
    return Object.assign(new Response(null, { status: fault?.status ?? 200, headers }), {
      text: () => Promise.resolve(JSON.stringify(body)),
      json: () => Promise.resolve(body),
    });
  };
}

type Read = { readonly value: unknown } | { readonly fault: { readonly status: number; readonly words: string } };

function failed({ status, statusText }: Response, text: string): Read {
  const words = serverMessage(text) || statusText;
  // Hides the server's headers, which the SDK might interpret.
  return {
    fault: { status: status < 400 ? 502 : status, words: words === '' ? String(status) : `${status}: ${words}` },
  };
}

function readAnswer(
  { status }: Response,
  text: string,
  { shape, isText = false }: Pick<PostOptions<unknown>, 'shape' | 'isText'>,
): Read {
  const json = isText ? text : parseServerJson(text);
  const parsed = shape.safeParse(json);
  if (json !== undefined && parsed.success) return { value: parsed.data };
  const words = serverMessage(text) || 'nothing';
  // The SDK retries 502, but not the status of a refusal.
  if (json === undefined) return { fault: { status: 502, words: `${status} without valid JSON: ${words}` } };
  const error = errorIn(json);
  if (error !== undefined) return { fault: { status: statusOf(error), words: `${status} with an error: ${words}` } };
  const [issue] = parsed.error?.issues ?? [];
  const issueText = [issue?.path.join('.'), issue?.message]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return { fault: { status: 502, words: `${status} with an invalid body (${issueText}): ${words}` } };
}

function errorIn(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return undefined;
  const { error, choices } = (Array.isArray(json) ? (json[0] ?? {}) : json) as { error?: unknown; choices?: unknown };
  if (error !== undefined && error !== null) return error;
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : [];
  return (choice as { error?: unknown } | null | undefined)?.error ?? undefined;
}

function statusOf(error: unknown): number {
  const { code, status } = error as { code?: unknown; status?: unknown };
  const reported = [code, status]
    .map(Number)
    .find((number) => Number.isInteger(number) && number >= 400 && number < 600);
  return reported ?? 502;
}
