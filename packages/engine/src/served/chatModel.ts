import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { z } from 'zod';
import { ParameterFallbacks } from './parameterFallbacks.js';
import { ModelConnection, type ServerOptions } from './modelConnection.js';
import {
  messageCalls,
  maybe,
  AnsweredMessage,
  type AnsweredCall,
  messageText,
  messageThought,
} from './answeredMessage.js';

export type ChatMessage = ChatCompletionMessageParam;

export interface ChatModelOptions extends ServerOptions {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Requests token ids and log-probabilities from vLLM. Default true. */
  readonly tokens?: boolean | undefined;
  /** Sets `enable_thinking` of the chat template. Default: the model's. */
  readonly thinks?: boolean | undefined;
}

export interface ModelCompletion {
  readonly text: string;
  readonly thought?: string;
  readonly calls?: readonly AnsweredCall[];
  readonly cut: boolean;
  /** The server's finish reason if neither the model nor `maxTokens` ended the answer. */
  readonly stoppedBy?: string;
  readonly promptTokens?: readonly number[];
  readonly tokens?: readonly number[];
  readonly logprobs?: readonly number[];
  readonly promptLength: number;
  readonly cachedLength: number;
  readonly answerLength: number;
  /** Reported by gyre's server, like `vocabulary`. */
  readonly policyVersion: number;
  readonly vocabulary?: string;
}

/** vLLM's parameters; other servers ignore them. */
export const templateOptions = ({ thinks }: Pick<ChatModelOptions, 'thinks'>) =>
  thinks === undefined ? {} : { chat_template_kwargs: { enable_thinking: thinks } };

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
  // Set by OpenRouter if generation failed.
  error: z.null().optional(),
  finish_reason: maybe(z.string()),
  token_ids: maybe(ids),
  logprobs: maybe(z.object({ content: maybe(z.array(z.object({ logprob: z.number() }))) })),
});

/** Only the message is required; other fields may be missing or malformed. */
const Answer = z.object({
  choices: z.tuple([Choice]).rest(z.unknown()),
  prompt_token_ids: maybe(ids),
  system_fingerprint: maybe(z.string()),
  usage: maybe(
    z.object({
      prompt_tokens: maybe(z.number()),
      completion_tokens: maybe(z.number()),
      prompt_tokens_details: maybe(z.object({ cached_tokens: maybe(z.number()) })),
    }),
  ),
});

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

export class ChatModel {
  readonly #connection: ModelConnection;
  readonly #fallbacks = new ParameterFallbacks();

  constructor(readonly options: ChatModelOptions) {
    this.#connection = new ModelConnection(options);
  }

  get notes(): string[] {
    return this.#fallbacks.notes;
  }

  /**
   * @throws GyreError `infra` if every try fails
   * @throws ModelRefusal
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
      await this.#fallbacks.send(body, (reduced) =>
        this.#connection.post('/chat/completions', reduced, {
          shape: Answer,
          signal,
          fix: "check that it serves a chat model, and check the server's log",
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
    answerLength: answer.usage?.completion_tokens ?? 0,
  };
}

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
    ...(logprobs && logprobs.length === ids?.length && { logprobs }),
    policyVersion: Number.isSafeInteger(Number(version)) ? Number(version) : 0,
    ...(vocabulary !== undefined && { vocabulary }),
  };
}
