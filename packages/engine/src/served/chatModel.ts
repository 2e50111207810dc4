import { GyreError } from '@gyre/protocol';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { ModelConnection, type ServerOptions } from './modelConnection.js';

/** A message as OpenAI's chat completions have it: of the system, the user or the assistant, of text and images. */
export type ChatMessage = ChatCompletionMessageParam;

export interface ChatModelOptions extends ServerOptions {
  /** Default 0. */
  readonly temperature?: number | undefined;
  /** Default 1. */
  readonly topP?: number | undefined;
  /** Most tokens of an answer. Default 1000. */
  readonly maxTokens?: number | undefined;
  /** Asks for the ids and log-probabilities of the tokens, as vLLM gives them. Default true; servers that do not know it leave it out. */
  readonly tokens?: boolean | undefined;
  /** Asks a model that can do both to think before it answers, or not to (`enable_thinking` of its chat template). Default: as it does. */
  readonly thinks?: boolean | undefined;
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

/** What a request says of thinking, as vLLM has it; servers that do not know it leave it out. */
export const templateOptions = ({ thinks }: Pick<ChatModelOptions, 'thinks'>) =>
  thinks === undefined ? {} : { chat_template_kwargs: { enable_thinking: thinks } };

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
  readonly #connection: ModelConnection;

  constructor(readonly options: ChatModelOptions) {
    this.#connection = new ModelConnection(options);
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
      ...templateOptions(this.options),
    };
    const answer = await this.#connection.post<ChatCompletion>('/chat/completions', body, signal);
    return completionOf(answer, this.options.url);
  }
}

function completionOf(answer: ChatCompletion, url: string): Completion {
  const [choice] = answer.choices;
  const text = choice?.message.content;
  if (!choice || typeof text !== 'string') {
    throw new GyreError('infra', `the model server at ${url} answers without a text`, {
      field: 'url',
      part: 'model_server',
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
