import { createHash } from 'node:crypto';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { type ChatMessage, type ChatModelOptions, type ModelCompletion, templateOptions } from './chatModel.js';
import { ModelConnection } from './modelConnection.js';
import { promptBody } from './promptPicture.js';

const Rendered = z.object({
  token_ids: z.array(z.int().nonnegative()).min(1),
  features: z
    .object({
      mm_hashes: z.record(z.string(), z.array(z.string())),
      mm_placeholders: z.record(z.string(), z.array(z.object({ offset: z.int(), length: z.int() }))),
      kwargs_data: z.record(z.string(), z.array(z.string().nullable())).nullish(),
    })
    .nullish(),
});

const Generated = z.object({
  choices: z
    .array(
      z.object({
        token_ids: z.array(z.int().nonnegative()),
        finish_reason: z.string().nullish(),
        text: z.string().optional(),
        logprobs: z.object({ content: z.array(z.object({ logprob: z.number() })).nullish() }).nullish(),
        weight_versions: z.array(z.object({ version: z.string() })).nullish(),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish() }).nullish(),
});

interface Picture {
  readonly hash: string;
  readonly offset: number;
  readonly length: number;
  /** Base64, megabytes; dropped after the first send. */
  data: string | null;
}

interface Piece {
  readonly ids: readonly number[];
  readonly pictures: readonly Picture[];
}

type Kind = 'head' | 'rest' | 'closed' | 'plain';

const maxPieces = 2048;

const unexpectedAnswerFix =
  'use a vLLM with the render and token generation endpoints (such as 0.32), or omit --token-prompt to send texts';

/** Precedes messages rendered alone: templates treat the start of a conversation differently. */
const opening: readonly ChatMessage[] = [{ role: 'user', content: '.' }];

/**
 * Calls vLLM by token ids (`/v1/chat/completions/render`, `/inference/v1/generate`). Prompts repeat the sampled ids of
 * earlier answers, which retokenization could change. Only new messages are rendered, so each picture is sent once.
 */
export class TokenModel {
  readonly #connection: ModelConnection;
  readonly #pieces = new Map<string, Promise<Piece>>();
  readonly #root: string;

  constructor(readonly options: ChatModelOptions) {
    this.#connection = new ModelConnection(options);
    this.#root = options.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  }

  /**
   * @param messages starts with no assistant message and ends with the user's
   * @param sampled ids of each assistant message; undefined if another policy wrote it
   * @throws GyreError `infra` if every try fails; `bad_input` for a refusal
   */
  async complete(
    messages: readonly ChatMessage[],
    seed: number,
    { sampled, signal }: { sampled: readonly (readonly number[] | undefined)[]; signal?: AbortSignal | undefined },
  ): Promise<ModelCompletion> {
    const prompt = await this.#prompt(messages, sampled, signal);
    const answer = await this.#generate(prompt, seed, signal).catch(async (error: unknown) => {
      const sent = prompt.pictures.some(({ data }) => data === null);
      if (!sent || !(error instanceof GyreError) || signal?.aborted) throw error;
      // The server may have evicted pictures: resend all.
      this.#pieces.clear();
      return this.#generate(await this.#prompt(messages, sampled, signal), seed, signal);
    });
    for (const picture of prompt.pictures) picture.drop();
    const [choice] = answer.choices;
    if (!choice) throw this.#unexpectedAnswer('it has no choices');
    const { token_ids: tokens, finish_reason: end, weight_versions: versions } = choice;
    const logprobs = choice.logprobs?.content?.map(({ logprob }) => logprob);
    const numbers = (versions ?? []).flatMap(({ version }) => (/^\d{1,15}$/.test(version) ? [Number(version)] : []));
    return {
      text: choice.text ?? (await this.#text(end === 'stop' ? tokens.slice(0, -1) : tokens, signal)),
      cut: end === 'length',
      promptTokens: prompt.ids,
      tokens,
      ...(logprobs?.length === tokens.length && { logprobs }),
      promptLength: prompt.ids.length,
      cachedLength: answer.usage?.prompt_tokens_details?.cached_tokens ?? 0,
      // The oldest version needs the largest correction.
      policyVersion: numbers.length > 0 ? Math.min(...numbers) : 0,
    };
  }

  async #prompt(
    messages: readonly ChatMessage[],
    sampled: readonly (readonly number[] | undefined)[],
    signal: AbortSignal | undefined,
  ): Promise<{ ids: number[]; pictures: (Picture & { drop: () => void })[] }> {
    const ids: number[] = [];
    const pictures: (Picture & { drop: () => void })[] = [];
    const add = (piece: Piece): void => {
      // The server ends an untruncated answer with the end-of-message token.
      const skipped = ids.length > 0 && ids.at(-1) === piece.ids[0] ? 1 : 0;
      for (const picture of piece.pictures) {
        const drop = (): void => void (picture.data = null);
        pictures.push({ ...picture, offset: picture.offset + ids.length - skipped, drop });
      }
      ids.push(...piece.ids.slice(skipped));
    };
    const answers = [...messages.keys()].filter((index) => messages[index]?.role === 'assistant');
    const bounds = [...answers, messages.length];
    const saidBy = (index: number) => messages.slice((answers[index] ?? 0) + 1, bounds[index + 1]);
    const head = messages.slice(0, bounds[0]);
    const pieces = await Promise.all([
      this.#piece('head', head, signal),
      ...answers.map((_, index) => this.#piece('rest', [{ role: 'assistant', content: '' }, ...saidBy(index)], signal)),
    ]);
    add(pieces[0]);
    for (const [index, messageIndex] of answers.entries()) {
      ids.push(...(sampled[index] ?? (await this.#renderAnswer(messages[messageIndex]!, signal))));
      add(pieces[index + 1]!);
    }
    return { ids, pictures };
  }

  async #renderAnswer(message: ChatMessage, signal: AbortSignal | undefined): Promise<readonly number[]> {
    const end = await this.#piece('closed', [{ role: 'assistant', content: '' }], signal);
    const whole = await this.#piece('closed', [message], signal);
    return whole.ids.slice(0, whole.ids.length - end.ids.length);
  }

  /**
   * `head` starts a conversation, `rest` continues it and prompts for an answer, `closed` only continues. `plain` is a
   * head without the thinking mark that templates add before new answers.
   */
  #piece(kind: Kind, messages: readonly ChatMessage[], signal: AbortSignal | undefined): Promise<Piece> {
    const key = `${kind} ${createHash('sha256').update(promptBody(messages)).digest('base64')}`;
    const known = this.#pieces.get(key);
    this.#pieces.delete(key);
    const piece = known ?? this.#render(kind, messages, signal);
    this.#pieces.set(key, piece);
    piece.catch(() => this.#pieces.delete(key));
    const [oldest] = this.#pieces.keys();
    if (this.#pieces.size > maxPieces && oldest !== undefined) this.#pieces.delete(oldest);
    return piece;
  }

  async #render(kind: Kind, messages: readonly ChatMessage[], signal: AbortSignal | undefined): Promise<Piece> {
    const options = kind === 'plain' ? {} : this.options;
    if (kind === 'head' || kind === 'plain') return this.#rendered(messages, true, options, signal);
    const before = (await this.#piece('plain', opening, signal)).ids;
    const { ids, pictures } = await this.#rendered([...opening, ...messages], kind === 'rest', options, signal);
    if (before.some((id, index) => ids[index] !== id)) {
      throw new GyreError('bad_input', "the model's chat template rewrites earlier messages", {
        field: 'tokens',
        fix: 'serve the model with another template, or omit --token-prompt to send texts',
      });
    }
    const from = before.length;
    return {
      ids: ids.slice(from),
      pictures: pictures.map((picture) => ({ ...picture, offset: picture.offset - from })),
    };
  }

  async #rendered(
    messages: readonly ChatMessage[],
    ask: boolean,
    options: Pick<ChatModelOptions, 'thinks'>,
    signal: AbortSignal | undefined,
  ): Promise<Piece> {
    const { model } = this.options;
    const body = { model, messages, add_generation_prompt: ask, ...templateOptions(options) };
    const answer = await this.#post(`${this.#root}/v1/chat/completions/render`, body, Rendered, signal);
    const { token_ids: ids, features } = answer;
    const { image: hashes = [], ...others } = features?.mm_hashes ?? {};
    if (Object.keys(others).length > 0)
      throw this.#unexpectedAnswer('the prompt has parts other than texts and images');
    const { image: places = [] } = features?.mm_placeholders ?? {};
    const pictures = hashes.map((hash, index): Picture => {
      const place = places[index];
      if (!place) throw this.#unexpectedAnswer('an image has no position in the prompt');
      return { hash, ...place, data: features?.kwargs_data?.image?.[index] ?? null };
    });
    return { ids, pictures };
  }

  #generate(
    { ids, pictures }: { ids: readonly number[]; pictures: readonly Picture[] },
    seed: number,
    signal: AbortSignal | undefined,
  ): Promise<z.infer<typeof Generated>> {
    const { model, temperature = 0, topP = 1, maxTokens = 1000 } = this.options;
    const image = <T>(of: (picture: Picture) => T): { image: T[] } => ({ image: pictures.map(of) });
    const body = {
      model,
      token_ids: ids,
      sampling_params: { temperature, top_p: topP, max_tokens: maxTokens, seed, logprobs: 1 },
      output_mode: 'text',
      stream: false,
      ...(pictures.length > 0 && {
        features: {
          mm_hashes: image(({ hash }) => hash),
          mm_placeholders: image(({ offset, length }) => ({ offset, length })),
          // A null makes the server use its cached copy.
          kwargs_data: image(({ data }) => data),
        },
      }),
    };
    return this.#post(`${this.#root}/inference/v1/generate`, body, Generated, signal);
  }

  async #text(tokens: readonly number[], signal: AbortSignal | undefined): Promise<string> {
    if (tokens.length === 0) return '';
    const { model } = this.options;
    const { prompt } = await this.#post(
      `${this.#root}/detokenize`,
      { model, tokens },
      z.object({ prompt: z.string() }),
      signal,
    );
    return prompt;
  }

  #post<T>(address: string, body: object, shape: z.ZodType<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.#connection.post(address, body, { shape, signal, fix: unexpectedAnswerFix });
  }

  #unexpectedAnswer(fault: string): GyreError {
    return new GyreError('infra', `the model server at ${this.options.url} gave an unexpected answer: ${fault}`, {
      field: 'url',
      part: 'model_server',
      fix: unexpectedAnswerFix,
    });
  }
}
