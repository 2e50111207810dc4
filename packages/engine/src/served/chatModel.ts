import { GyreError } from '@gyre/protocol';
import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { promptBody } from './promptPicture.js';

/** A message as OpenAI's chat completions have it: of the system, the user or the assistant, of text and images. */
export type ChatMessage = ChatCompletionMessageParam;

export interface ChatModelOptions {
  /** Of the server up to and with its version: `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  /** The model's name there. */
  readonly model: string;
  /** Default: none is sent that means anything. */
  readonly apiKey?: string | undefined;
  /** Default 0. */
  readonly temperature?: number | undefined;
  /** Default 1. */
  readonly topP?: number | undefined;
  /** Most tokens of an answer. Default 1000. */
  readonly maxTokens?: number | undefined;
  /** How long one try may take, to the end of its answer. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first, further and further apart. Default 4. */
  readonly retries?: number | undefined;
  /** Asks for the ids and log-probabilities of the tokens, as vLLM gives them. Default true; servers that do not know it leave it out. */
  readonly tokens?: boolean | undefined;
  /** What carries requests. Default: the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

export interface Completion {
  readonly text: string;
  /** The answer was cut at `maxTokens`. */
  readonly cut: boolean;
  /** Ids of the prompt's and the answer's tokens, and natural-log probabilities of the latter, where the server gave them. */
  readonly promptTokens?: readonly number[];
  readonly tokens?: readonly number[];
  readonly logprobs?: readonly number[];
  /** How many tokens the prompt had, and how many of them the server had cached. */
  readonly promptLength: number;
  readonly cachedLength: number;
  /** Of the weights, where the server tells: gyre's own does. */
  readonly policyVersion: number;
}

/** What says by which tokens a chat completion was sampled: the ids are what vLLM and gyre add to it. */
export interface WithTokens {
  readonly prompt_token_ids?: readonly number[] | null | undefined;
  readonly system_fingerprint?: string | null | undefined;
  readonly choices: readonly {
    readonly token_ids?: readonly number[] | null | undefined;
    readonly logprobs?:
      { readonly content?: readonly { readonly logprob: number }[] | null | undefined } | null | undefined;
  }[];
}

/** A model behind a server that speaks OpenAI's chat completions. */
export class ChatModel {
  readonly #client: OpenAI;

  constructor(readonly options: ChatModelOptions) {
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
   * @throws GyreError `infra` where the server cannot be reached, answers too late or fails, after all tries.
   * @throws GyreError `bad_input` where it refuses the request: a wrong key, an unknown model, a prompt that is too long.
   */
  async complete(messages: readonly ChatMessage[], seed: number, signal?: AbortSignal): Promise<Completion> {
    const { model, temperature = 0, topP = 1, maxTokens = 1000, tokens = true } = this.options;
    const body = {
      model,
      messages: [...messages],
      temperature,
      top_p: topP,
      max_tokens: maxTokens,
      seed,
      stream: false,
      ...(tokens && { logprobs: true, return_token_ids: true }),
    };
    const answer = await this.#client
      .post<ChatCompletion>('/chat/completions', {
        body: promptBody(body),
        headers: { 'content-type': 'application/json' },
        // The SDK never takes its listeners off a signal: this one goes with the call.
        ...(signal && { signal: AbortSignal.any([signal]) }),
      })
      .catch((error: unknown) => {
        throw this.#told(error);
      });
    return completionOf(answer, this.options.url);
  }

  #told(error: unknown): unknown {
    const { url, model, timeoutMs = 120_000 } = this.options;
    if (error instanceof APIUserAbortError || !(error instanceof APIError)) return error;
    if (error instanceof APIConnectionError) {
      const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
      return new GyreError('infra', `the model server at ${url} does not answer (${error.message}${cause})`, {
        field: 'url',
        fix: `see whether it runs, and answers within ${timeoutMs / 1000} s`,
        cause: error,
      });
    }
    const status = typeof error.status === 'number' ? error.status : 500;
    const refused = status >= 400 && status < 500 && status !== 408 && status !== 429;
    return new GyreError(refused ? 'bad_input' : 'infra', `the model server at ${url} answers ${error.message}`, {
      field: status === 404 ? 'model' : status === 401 || status === 403 ? 'apiKey' : 'url',
      fix: status === 404 ? `see whether it serves "${model}"` : 'see what the server logs',
      cause: error,
    });
  }
}

/**
 * Gives an answer when all of it is there. The time limit and the retries of the SDK reach to the head of an answer alone: one that
 * stalls or breaks off behind it would be waited for without end, or fail at once.
 */
function wholeAnswer(carry: typeof fetch): typeof fetch {
  return async (...request) => {
    const answer = await carry(...request);
    return answer.body === null ? answer : new Response(await answer.arrayBuffer(), answer);
  };
}

function completionOf(answer: ChatCompletion, url: string): Completion {
  const [choice] = answer.choices;
  const text = choice?.message.content;
  if (!choice || typeof text !== 'string') {
    throw new GyreError('infra', `the model server at ${url} answers without a text`, {
      field: 'url',
      fix: 'see whether it serves a model that chats',
    });
  }
  return {
    text,
    cut: choice.finish_reason === 'length',
    ...sampledOf(answer),
    promptLength: answer.usage?.prompt_tokens ?? 0,
    cachedLength: answer.usage?.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

/** The tokens of an answer, as far as its server gave them, and the version of the weights that sampled it. */
export function sampledOf(
  answer: WithTokens,
): Pick<Completion, 'promptTokens' | 'tokens' | 'logprobs' | 'policyVersion'> {
  const [choice] = answer.choices;
  const { prompt_token_ids: prompt } = answer;
  const ids = choice?.token_ids;
  const logprobs = choice?.logprobs?.content?.map(({ logprob }) => logprob);
  const version = /^gyre-(\d+)$/.exec(answer.system_fingerprint ?? '')?.[1];
  return {
    ...(prompt && { promptTokens: prompt }),
    ...(ids && { tokens: ids }),
    // One for each token, or they say nothing of them.
    ...(logprobs && logprobs.length === ids?.length && { logprobs }),
    policyVersion: Number(version ?? 0),
  };
}
