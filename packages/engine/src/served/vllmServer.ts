import { GyreError } from '@gyre/protocol';
import { z } from 'zod';
import { type ChatMessage, type ChatModelOptions, templateOptions } from './chatModel.js';
import { ModelConnection, type PostOptions, type ServerOptions } from './modelConnection.js';
import { RenderedPictures } from './renderedPictures.js';
import type { PictureFeature, PlacedPicture, RenderedPrompt } from './renderedPrompt.js';

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

const Tokenized = z.object({ tokens: z.array(z.int().nonnegative()), token_strs: z.array(z.string()) });

/** Special tokens of Qwen and Kimi. */
const visionNames = [
  ...['<|vision_start|>', '<|vision_end|>', '<|vision_pad|>', '<|image_pad|>', '<|video_pad|>'],
  ...['<|media_begin|>', '<|media_content|>', '<|media_end|>', '<|media_pad|>', '<|media_placeholder|>'],
];

const unexpectedAnswerFix = 'use vLLM 0.30 or later with --enable-scale-out, or omit --token-prompt to send texts';

export interface VllmServerOptions extends ServerOptions {
  /** Bounds the data of rendered pictures that were not sent yet, in characters. Default 2^29. */
  readonly maxUnsent?: number | undefined;
}

export interface GenerateRequest {
  /** Default: the server's model. */
  readonly model?: string | undefined;
  /** Called again after `forget` if the server has evicted a picture. */
  readonly prompt: () => Promise<RenderedPrompt>;
  /** Drops cached pictures, so that they are rendered again. */
  readonly forget: () => void;
  /** Under vLLM's names. */
  readonly sampling: Readonly<Record<string, unknown>>;
  readonly returnsText?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GeneratedAnswer {
  readonly prompt: RenderedPrompt;
  readonly tokens: readonly number[];
  /** Natural logs, one per token; undefined if the server does not report all. */
  readonly logprobs: readonly number[] | undefined;
  readonly end: string | undefined;
  readonly text: string | undefined;
  readonly cachedLength: number;
  /** As set by `/update_weight_version`. */
  readonly weightVersions: readonly string[];
}

/**
 * Calls vLLM by token ids: `/v1/chat/completions/render`, `/inference/v1/generate`, `/tokenize`, `/detokenize`,
 * `/v1/load_lora_adapter`. Every call throws a GyreError: `bad_input` for a refusal or a missing endpoint, `infra` if
 * every try fails.
 */
export class VllmServer {
  /** Shared by the languages and samplers of this server. */
  readonly pictures: RenderedPictures;
  readonly #connection: ModelConnection;
  readonly #root: string;
  #visionTokens: Promise<readonly number[]> | undefined;

  constructor(readonly options: VllmServerOptions) {
    this.pictures = new RenderedPictures(this, { maxUnsent: options.maxUnsent ?? 2 ** 29 });
    this.#connection = new ModelConnection(options);
    this.#root = options.url.replace(/\/+$/, '').replace(/\/v1$/, '');
  }

  /** Applies the chat template. `ask` appends the start of an answer. */
  async render(
    messages: readonly ChatMessage[],
    { ask, thinks, signal }: Pick<ChatModelOptions, 'thinks'> & { ask: boolean; signal?: AbortSignal | undefined },
  ): Promise<RenderedPrompt> {
    const { model } = this.options;
    const body = { model, messages, add_generation_prompt: ask, ...templateOptions({ thinks }) };
    const answer = await this.#post('/v1/chat/completions/render', body, { shape: Rendered, signal });
    const { token_ids: ids, features } = answer;
    const { image: hashes = [], ...others } = features?.mm_hashes ?? {};
    if (Object.keys(others).length > 0) throw this.unexpected('the prompt has parts other than texts and images');
    const { image: places = [] } = features?.mm_placeholders ?? {};
    const pictures = hashes.map((hash, index): PlacedPicture => {
      const place = places[index];
      if (!place) throw this.unexpected('an image has no position in the prompt');
      const feature: PictureFeature = { hash, data: features?.kwargs_data?.image?.[index] ?? null };
      return { feature, ...place };
    });
    return { ids, pictures };
  }

  /** Samples one answer. Each picture is sent once. */
  async generate(request: GenerateRequest): Promise<GeneratedAnswer> {
    const prompt = await request.prompt();
    try {
      return await this.#generate(prompt, request);
    } catch (error) {
      const reused = prompt.pictures.some(({ feature }) => feature.data === null);
      if (!reused || !(error instanceof GyreError) || request.signal?.aborted) throw error;
      // The server may have evicted pictures: resend all.
      request.forget();
      return this.#generate(await request.prompt(), request);
    }
  }

  async detokenize(tokens: readonly number[], signal?: AbortSignal): Promise<string> {
    if (tokens.length === 0) return '';
    const body = { model: this.options.model, tokens };
    const { prompt } = await this.#post('/detokenize', body, { shape: z.object({ prompt: z.string() }), signal });
    return prompt;
  }

  /** Returns the tokenizer's ids for pictures and videos: an answer with one corrupts later prompts. */
  visionTokens(): Promise<readonly number[]> {
    this.#visionTokens ??= this.#findVisionTokens();
    this.#visionTokens.catch(() => (this.#visionTokens = undefined));
    return this.#visionTokens;
  }

  /** Loads a LoRA adapter from a directory that the server can read, and serves it as the model `name`. */
  async loadAdapter(name: string, path: string): Promise<void> {
    // With `load_inplace`, vLLM 0.30 would read the adapter from disk again at every step.
    const load = () => this.#adapterCall('load', { lora_name: name, lora_path: path });
    try {
      await load();
    } catch (error) {
      if (!String(error).includes('already been loaded')) throw error;
      await this.unloadAdapter(name);
      await load();
    }
  }

  async unloadAdapter(name: string): Promise<void> {
    await this.#adapterCall('unload', { lora_name: name });
  }

  unexpected(fault: string): GyreError {
    return new GyreError('infra', `the model server at ${this.options.url} gave an unexpected answer: ${fault}`, {
      field: 'url',
      part: 'model_server',
      fix: unexpectedAnswerFix,
    });
  }

  async #generate(
    prompt: RenderedPrompt,
    { model = this.options.model, sampling, returnsText = false, signal }: GenerateRequest,
  ): Promise<GeneratedAnswer> {
    const { ids, pictures } = prompt;
    const image = <T>(of: (picture: PlacedPicture) => T): { image: T[] } => ({ image: pictures.map(of) });
    const body = {
      model,
      token_ids: ids,
      sampling_params: { ...sampling, logprobs: 1 },
      ...(returnsText && { output_mode: 'text' }),
      stream: false,
      ...(pictures.length > 0 && {
        features: {
          mm_hashes: image(({ feature }) => feature.hash),
          mm_placeholders: image(({ offset, length }) => ({ offset, length })),
          // A null makes the server use its cached copy.
          kwargs_data: image(({ feature }) => feature.data),
        },
      }),
    };
    const { choices, usage } = await this.#post('/inference/v1/generate', body, { shape: Generated, signal });
    for (const { feature } of pictures) feature.data = null;
    const [choice] = choices;
    if (!choice) throw this.unexpected('it has no choices');
    const { token_ids: tokens, finish_reason: end, text, weight_versions: versions } = choice;
    const logprobs = choice.logprobs?.content?.map(({ logprob }) => logprob);
    return {
      prompt,
      tokens,
      logprobs: logprobs?.length === tokens.length ? logprobs : undefined,
      end: end ?? undefined,
      text,
      cachedLength: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      weightVersions: (versions ?? []).map(({ version }) => version),
    };
  }

  async #findVisionTokens(): Promise<readonly number[]> {
    const { model } = this.options;
    const body = { model, prompt: visionNames.join(''), add_special_tokens: false, return_token_strs: true };
    const { tokens, token_strs: names } = await this.#post('/tokenize', body, { shape: Tokenized });
    return tokens.filter((_, index) => visionNames.includes(names[index] ?? ''));
  }

  async #adapterCall(verb: 'load' | 'unload', body: object): Promise<void> {
    const fix = 'start vLLM with --enable-lora and the environment VLLM_ALLOW_RUNTIME_LORA_UPDATING=True';
    const missingFix = `${fix}; check that it can read the path of the adapter`;
    await this.#post(`/v1/${verb}_lora_adapter`, body, { shape: z.unknown(), fix, missingFix, isText: true });
  }

  #post<T>(path: string, body: object, options: PostOptions<T>): Promise<T> {
    const { model } = this.options;
    const missingFix = `start vLLM 0.30 or later with --enable-scale-out, and check that it serves "${model}"`;
    return this.#connection.post(`${this.#root}${path}`, body, { fix: unexpectedAnswerFix, missingFix, ...options });
  }
}
