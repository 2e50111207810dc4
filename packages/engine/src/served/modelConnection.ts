import { GyreError } from '@gyre/protocol';
import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import { promptBody } from './promptPicture.js';

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
      fetch: wholeAnswer(options.fetch ?? fetch),
    });
  }

  /**
   * @param path below the address with its version, or a whole address.
   * @throws GyreError `infra` where the server cannot be reached, answers too late or fails, after all tries.
   * @throws GyreError `bad_input` where it refuses the request: a wrong key, an unknown model, a prompt that is too long.
   */
  async post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    return this.#client
      .post<T>(path, {
        body: promptBody(body),
        headers: { 'content-type': 'application/json' },
        // The SDK never takes its listeners off a signal: this one goes with the call.
        ...(signal && { signal: AbortSignal.any([signal]) }),
      })
      .catch((error: unknown) => {
        throw this.#told(error);
      });
  }

  #told(error: unknown): unknown {
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
    const refused = status >= 400 && status < 500 && status !== 408 && status !== 429;
    return new GyreError(refused ? 'bad_input' : 'infra', `the model server at ${url} answers ${error.message}`, {
      part: 'model_server',
      field: status === 404 ? 'model' : status === 401 || status === 403 ? 'apiKey' : 'url',
      fix: status === 404 ? `see whether it serves "${model}"` : 'see what the server logs',
      cause: error,
    });
  }
}

/**
 * Gives an answer when all of it is there. The time limit and the retries of the SDK reach to the head of an answer alone: one that
 * stalls or breaks off behind it would be waited for without end, or fail at once. It is read once: it has tens of thousands of ids.
 */
function wholeAnswer(carry: typeof fetch): typeof fetch {
  return async (...request) => {
    const answer = await carry(...request);
    const text = await answer.text();
    return Object.assign(new Response(null, answer), {
      text: () => Promise.resolve(text),
      json: () => Promise.resolve(text).then((said): unknown => JSON.parse(said)),
    });
  };
}
