import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { z } from 'zod';
import { Concessions } from './concessions.js';
import { ModelConnection, type ServerOptions } from './modelConnection.js';
import {
  messageCalls,
  maybe,
  AnsweredMessage,
  type AnsweredCall,
  messageText,
  messageThought,
} from './answeredMessage.js';

/** A message as OpenAI's chat completions have it: of the system, the user or the assistant, of text and images. */
export type ChatMessage = ChatCompletionMessageParam;

export interface ChatModelOptions extends ServerOptions {
  /** Default 0. */
  readonly temperature?: number | undefined;
  /** Default 1. */
  readonly topP?: number | undefined;
  /** Most tokens of an answer. Default 1000. */
  readonly maxTokens?: number | undefined;
  /** Asks for the ids and log-probabilities of the tokens, as vLLM gives them, unless the server refuses that. Default true. */
  readonly tokens?: boolean | undefined;
  /** Asks a model that can do both to think before it answers, or not to (`enable_thinking` of its chat template). Default: as it does. */
  readonly thinks?: boolean | undefined;
}

export interface ModelCompletion {
  readonly text: string;
  /** What the server has told apart from the text as thought; absent where it has not. */
  readonly thought?: string;
  /** Calls that the server has taken out of the text; absent where there are none. */
  readonly calls?: readonly AnsweredCall[];
  /** The answer was cut at `maxTokens`. */
  readonly cut: boolean;
  /** Why the server ended the answer, where it was neither the model's doing nor `maxTokens`: `content_filter`, ... */
  readonly stoppedBy?: string;
  /** Ids of the prompt's and the answer's tokens, and natural-log probabilities of the latter, where the server gave them. */
  readonly promptTokens?: readonly number[];
  readonly tokens?: readonly number[];
  readonly logprobs?: readonly number[];
  /** How many tokens the prompt had, and how many of them the server had cached. */
  readonly promptLength: number;
  readonly cachedLength: number;
  /** Of the weights, where the server tells: gyre's own does. */
  readonly policyVersion: number;
  /** Hash of the tokenizer, where the server tells: gyre's own does. */
  readonly vocabulary?: string;
}

/** What a request says of thinking, as vLLM has it; servers that do not know it leave it out. */
export const templateOptions = ({ thinks }: Pick<ChatModelOptions, 'thinks'>) =>
  thinks === undefined ? {} : { chat_template_kwargs: { enable_thinking: thinks } };

/** What says by which tokens a chat completion was sampled: the ids are what vLLM and gyre add to it. */
export interface AnswerWithTokens {
  readonly prompt_token_ids?: readonly number[] | null | undefined;
  readonly system_fingerprint?: string | null | undefined;
  readonly choices: readonly {
    readonly token_ids?: readonly number[] | null | undefined;
    readonly logprobs?:
      { readonly content?: readonly { readonly logprob: number }[] | null | undefined } | null | undefined;
  }[];
}

const numbers = (fits: (value: unknown) => boolean) =>
  z.custom<number[]>((value) => Array.isArray(value) && value.every(fits));
const ids = numbers((id) => Number.isSafeInteger(id) && (id as number) >= 0);

const Choice = z.object({
  message: AnsweredMessage,
  // Of a generation that failed half-way, as OpenRouter tells it.
  error: z.null().optional(),
  finish_reason: maybe(z.string()),
  token_ids: maybe(ids),
  logprobs: maybe(z.object({ content: maybe(z.array(z.object({ logprob: z.number() }))) })),
});

/** A chat completion as far as it is read. It has to have a message; all else may be missing, or other than it should be. */
const Answer = z.object({
  choices: z.tuple([Choice]).rest(z.unknown()),
  prompt_token_ids: maybe(ids),
  system_fingerprint: maybe(z.string()),
  usage: maybe(
    z.object({
      prompt_tokens: maybe(z.number()),
      prompt_tokens_details: maybe(z.object({ cached_tokens: maybe(z.number()) })),
    }),
  ),
});

/** Ends of an answer that are the model's own doing, in the words of several servers. */
const ownEnds: ReadonlySet<string> = new Set([
  'stop',
  'eos',
  'eos_token',
  'end_turn',
  'stop_sequence',
  'tool_calls',
  'tool_use',
  'function_call',
]);
const cutEnds: ReadonlySet<string> = new Set(['length', 'max_tokens', 'max_output_tokens']);

/** A model behind a server that speaks OpenAI's chat completions. */
export class ChatModel {
  readonly #connection: ModelConnection;
  readonly #concessions = new Concessions();

  constructor(readonly options: ChatModelOptions) {
    this.#connection = new ModelConnection(options);
  }

  /** Returns what the server does not take and is not sent, a line each. */
  get notes(): string[] {
    return this.#concessions.notes;
  }

  /**
   * @throws GyreError `infra` where the server cannot be reached, answers too late, fails or answers what is no completion, after all tries.
   * @throws ModelRefusal where it refuses the request: a wrong key, an unknown model, a prompt that is too long.
   */
  async complete(messages: readonly ChatMessage[], seed: number, signal?: AbortSignal): Promise<ModelCompletion> {
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
    return completionOf(
      await this.#concessions.send(body, (reduced) =>
        this.#connection.post('/chat/completions', reduced, {
          shape: Answer,
          signal,
          fix: 'see whether it serves a model that chats, and what it logs',
        }),
      ),
    );
  }
}

function completionOf(answer: z.infer<typeof Answer>): ModelCompletion {
  const [choice] = answer.choices;
  const { message, finish_reason: end } = choice;
  const thought = messageThought(message);
  const calls = messageCalls(message);
  const cut = typeof end === 'string' && cutEnds.has(end.toLowerCase());
  const stoppedBy = typeof end === 'string' && !cut && !ownEnds.has(end.toLowerCase()) ? end : undefined;
  return {
    text: messageText(message),
    ...(thought !== '' && { thought }),
    ...(calls.length > 0 && { calls }),
    cut,
    ...(stoppedBy !== undefined && { stoppedBy }),
    ...sampledTokens({ ...answer, choices: [choice] }),
    promptLength: answer.usage?.prompt_tokens ?? 0,
    cachedLength: answer.usage?.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

/** The tokens of an answer, as far as its server gave them, and the version of the weights that sampled it. */
export function sampledTokens(
  answer: AnswerWithTokens,
): Pick<ModelCompletion, 'promptTokens' | 'tokens' | 'logprobs' | 'policyVersion' | 'vocabulary'> {
  const [choice] = answer.choices;
  const { prompt_token_ids: prompt } = answer;
  const ids = choice?.token_ids;
  const logprobs = choice?.logprobs?.content?.map(({ logprob }) => logprob);
  const [, version, vocabulary] = /^gyre-(\d+)(?:-([0-9a-f]+))?$/.exec(answer.system_fingerprint ?? '') ?? [];
  return {
    ...(prompt && { promptTokens: prompt }),
    ...(ids && { tokens: ids }),
    // One for each token, or they say nothing of them.
    ...(logprobs && logprobs.length === ids?.length && { logprobs }),
    policyVersion: Number.isSafeInteger(Number(version)) ? Number(version) : 0,
    ...(vocabulary !== undefined && { vocabulary }),
  };
}
