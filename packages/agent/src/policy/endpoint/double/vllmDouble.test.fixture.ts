import { type Picture, piecesOf, type Sampled, type SampleRequest } from '@gyre/engine';
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly stream?: boolean;
  readonly logprobs?: boolean;
  readonly return_token_ids?: boolean;
  /** For token requests. */
  readonly token_ids?: readonly number[];
}

export type Script = (request: Asked, number: number) => Answer;
/** A turn; a failure; silence; or headers only. */
export type Answer = Said | { status: number; message: string } | 'hang' | 'cut' | 'head, then hang' | 'head, then cut';
interface Said {
  readonly text: string;
  readonly drift?: boolean;
  readonly finish?: 'stop' | 'length';
  readonly diesAfter?: number;
  /** Delays a generated answer. */
  readonly afterMs?: number;
}

const chunkLength = 5;

/** `/v1/chat/completions/render` */
interface RenderRequest {
  readonly add_generation_prompt: boolean;
  readonly chat_template_kwargs?: { readonly enable_thinking?: boolean };
}

/** `/inference/v1/generate` */
interface GenerateRequest {
  readonly model?: string;
  readonly token_ids: readonly number[];
  readonly output_mode?: string;
  readonly sampling_params?: {
    readonly max_tokens?: number;
    readonly stop_token_ids?: readonly number[];
    readonly temperature?: number;
    readonly seed?: number;
  };
  readonly features?: {
    readonly mm_hashes: { readonly image: readonly string[] };
    readonly mm_placeholders: { readonly image: readonly { readonly offset: number; readonly length: number }[] };
    readonly kwargs_data: { readonly image: readonly (string | null)[] };
  };
}

/** `/tokenize` and `/detokenize` */
interface TextRequest {
  readonly prompt: string;
  readonly tokens: readonly number[];
}

/** `/v1/load_lora_adapter` and `/v1/unload_lora_adapter` */
interface AdapterRequest {
  readonly lora_name: string;
  readonly lora_path: string;
  readonly load_inplace?: boolean;
}

const names = ['<|im_start|>', '<|im_end|>', '<|image_pad|>', '<|vision_start|>', '<|vision_end|>'];
const special = (name: string): number => 1000 + names.indexOf(name);
const [start, end, pad] = [special('<|im_start|>'), special('<|im_end|>'), special('<|image_pad|>')];
/** Tokens of a picture. */
export const padded = 4;
export const doubleTokens = { start, end, pad };
/** Returns other ids than the tokenizer's. */
export const sampledAs = (text: string): number[] => [...Buffer.from(text)].map((byte) => byte + 500);

/** Like tokenizers, finds special tokens in any text. */
const tokensOf = (text: string): number[] =>
  text.split(/(<\|\w+\|>)/).flatMap((part) => (names.includes(part) ? [special(part)] : [...Buffer.from(part)]));

const bytesOf = (id: number): readonly number[] => {
  if (id >= 1000) return [...Buffer.from(names[id - 1000] ?? '')];
  return [id >= 500 ? id - 500 : id];
};

/** Cuts an answer off behind its first stop token, and at `max_tokens`. */
function sampledBy({ sampling_params: parameters }: GenerateRequest, { text, finish }: Said) {
  const whole = [...sampledAs(text), ...(finish === 'length' ? [] : [end])];
  const { max_tokens: maxTokens = 16, stop_token_ids: stops = [] } = parameters ?? {};
  const stop = whole.findIndex((id) => stops.includes(id));
  const ids = whole.slice(0, Math.min(maxTokens, stop < 0 ? whole.length : stop + 1));
  const isWhole = ids.length === whole.length;
  const finishReason = stop >= 0 && stop < ids.length ? 'stop' : isWhole ? (finish ?? 'stop') : 'length';
  return { ids, finishReason };
}

/** Renders like `/v1/chat/completions/render`, with an optional thought mark. */
function rendered(
  { messages, add_generation_prompt: ask, chat_template_kwargs: options }: Asked & RenderRequest,
  { pixels, urlsByHash }: { pixels: PixelType | undefined; urlsByHash: Map<string, string> },
) {
  const ids: number[] = [];
  const urls: string[] = [];
  const offsets: number[] = [];
  const say = (text: string) => ids.push(...tokensOf(text));
  for (const { role, content } of messages) {
    ids.push(start);
    say(`${role}\n`);
    const parts = typeof content === 'string' ? [{ text: content }] : content;
    for (const part of parts as { text?: string; image_url?: { url: string } }[]) {
      if (part.image_url) {
        ids.push(special('<|vision_start|>'));
        offsets.push(ids.length);
        urls.push(part.image_url.url);
        ids.push(...new Array<number>(padded).fill(pad), special('<|vision_end|>'));
      } else say(part.text ?? '');
    }
    ids.push(end);
    say('\n');
  }
  if (ask) {
    ids.push(start);
    say(`assistant\n${options?.enable_thinking ? '<think>' : ''}`);
  }
  const hash = (url: string) => createHash('sha256').update(url).digest('hex');
  for (const url of urls) urlsByHash.set(hash(url), url);
  const dataOf = (url: string) => (pixels ? pixelsOf(url, pixels) : Buffer.from(`pixels of ${hash(url)}`));
  const features = {
    mm_hashes: { image: urls.map(hash) },
    mm_placeholders: { image: offsets.map((offset) => ({ offset, length: padded })) },
    kwargs_data: { image: urls.map((url) => dataOf(url).toString('base64')) },
    mm_metadata: null,
  };
  return { request_id: 'x', token_ids: ids, features: urls.length > 0 ? features : null, sampling_params: {} };
}

type PixelType = 'float32' | 'uint8';

/** Encodes `{pixel_values: {data: [type, [4], bytes], field: null}}` as vLLM does. */
function pixelsOf(url: string, type: PixelType): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0xa0 | value.length]), Buffer.from(value)]);
  const bytes = createHash('sha256').update(url).digest();
  return Buffer.concat([
    ...[Buffer.from([0x81]), text('pixel_values'), Buffer.from([0x82]), text('data'), Buffer.from([0x93]), text(type)],
    ...[Buffer.from([0x91, 4, 0xc7, bytes.length, 3]), bytes, text('field'), Buffer.from([0xc0])],
  ]);
}

export interface DoubleOptions {
  /** As with `--enable-scale-out`. */
  readonly scaleOut?: boolean;
  /** Has `/v1/load_lora_adapter`. */
  readonly updatesAdapters?: boolean;
  /** As with `--enable-lora`. */
  readonly enablesLora?: boolean;
  /** Serves adapters under any name that begins so, as if the trainer had loaded them. */
  readonly adapterPrefix?: string;
  /** Type of the rendered pixels. Default: data of no known form. */
  readonly pixels?: PixelType;
  readonly maxModelLength?: number;
  /** Largest number of pictures in a prompt. */
  readonly maxPictures?: number;
  /** Has SkyRL's `/skyrl/v1/load_lora_adapter`. */
  readonly isOfSkyrl?: boolean;
  /** Generates instead of the script. */
  readonly samples?: (request: SampleRequest & { readonly model: string }) => Promise<Sampled>;
}

function sampleRequestOf(
  { model = 'double', token_ids: ids, features, sampling_params: parameters = {} }: GenerateRequest,
  urlsByHash: ReadonlyMap<string, string>,
): SampleRequest & { model: string } {
  const pictures = (features?.mm_hashes.image ?? []).map((hash): Picture => {
    const png = Buffer.from(urlsByHash.get(hash)?.split(',')[1] ?? '', 'base64');
    return { hash, png, size: { width: png.readUInt32BE(16), height: png.readUInt32BE(20) } };
  });
  const runs = (features?.mm_placeholders.image ?? []).map(({ offset: from, length }) => ({ from, length }));
  const { max_tokens: maxTokens = 16, temperature = 1, seed = 0, stop_token_ids: stop = [] } = parameters;
  return { model, input: piecesOf(ids, { runs, pictures }), maxTokens, temperature, seed, stop };
}

function refusal({ token_ids: ids, features }: GenerateRequest, had: Set<string>): string | undefined {
  for (const [index, hash] of features?.mm_hashes.image.entries() ?? []) {
    const { offset, length } = features!.mm_placeholders.image[index]!;
    const place = ids.slice(offset, offset + length);
    if (length !== padded || place.some((id) => id !== pad)) return `no picture stands at ${offset}`;
    const data = features!.kwargs_data.image[index];
    if (data === null && !had.has(hash)) return 'Multi-modal processor cache miss.';
    if (typeof data === 'string') had.add(hash);
  }
  return undefined;
}

/**
 * Doubles vLLM 0.32: chat completions with `return_token_ids`, rendering, and generation by tokens. One token is one
 * byte; prompts preserve sampled ids unless the script drifts. The status for a forgotten image is a guess.
 */
export async function vllmDouble(
  script: Script,
  options: DoubleOptions = {},
): Promise<{
  url: string;
  requests: unknown[];
  headers: IncomingHttpHeaders[];
  abandoned: number[];
  pictures: Set<string>;
  /** Paths by name. */
  adapters: Map<string, string>;
  /** Bodies of `/render`. */
  renders: (Asked & RenderRequest)[];
  close(): Promise<void>;
}> {
  const {
    scaleOut = true,
    updatesAdapters = false,
    enablesLora = true,
    isOfSkyrl = false,
    maxPictures = Infinity,
  } = options;
  const { adapterPrefix, pixels, maxModelLength, samples } = options;
  const urlsByHash = new Map<string, string>();
  const requests: unknown[] = [];
  const headers: IncomingHttpHeaders[] = [];
  /** The client left. */
  const abandoned: number[] = [];
  const pictures = new Set<string>();
  const adapters = new Map<string, string>();
  const renders: (Asked & RenderRequest)[] = [];
  let before: number[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url?.endsWith('/models')) {
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({ object: 'list', data: [{ id: 'double', object: 'model', max_model_len: maxModelLength }] }),
        );
        return;
      }
      if (request.method === 'GET') {
        response.setHeader('content-type', 'application/json');
        return void response.end(JSON.stringify({ version: '0.32.0' }));
      }
      const requested = JSON.parse(await textOf(request)) as Asked &
        GenerateRequest &
        RenderRequest &
        TextRequest &
        AdapterRequest;
      const answerWith = (status: number, value: unknown) => {
        response.statusCode = status;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(value));
      };
      const path = request.url ?? '';
      const isScaledOut = path.endsWith('/render') || path.endsWith('/generate');
      if ((isScaledOut && !scaleOut) || (path.startsWith('/v1/') && path.endsWith('_lora_adapter') && !updatesAdapters))
        return answerWith(404, { detail: 'Not Found' });
      if (path.startsWith('/skyrl/') && !isOfSkyrl) return answerWith(404, { detail: 'Not Found' });
      if (Object.keys(requested).length === 0)
        return answerWith(400, { error: { message: 'Field required', code: 400 } });
      if (path.endsWith('_lora_adapter')) {
        const { status, text } = enablesLora ? adapterCall(adapters, path, requested) : notEnabled;
        if (status !== 200) return answerWith(status, { error: { message: text, type: 'x', code: status } });
        return void response.end(text);
      }
      const { model = 'double' } = requested;
      const isAdapter = adapters.has(model) || (adapterPrefix !== undefined && model.startsWith(adapterPrefix));
      if (isScaledOut && model !== 'double' && !isAdapter) {
        const message = `The model \`${model}\` does not exist.`;
        return answerWith(404, { error: { message, type: 'NotFoundError', param: 'model', code: 404 } });
      }
      if (path.endsWith('/detokenize'))
        return answerWith(200, { prompt: Buffer.from(requested.tokens.flatMap(bytesOf)).toString() });
      if (path.endsWith('/tokenize')) {
        const tokens = tokensOf(requested.prompt);
        const strings = tokens.map((id) => Buffer.from(bytesOf(id)).toString());
        return answerWith(200, { count: tokens.length, max_model_len: 4096, tokens, token_strs: strings });
      }
      if (path.endsWith('/render')) {
        renders.push(requested);
        const answer = rendered(requested, { pixels, urlsByHash });
        const count = answer.features?.mm_hashes.image.length ?? 0;
        if (count > maxPictures) {
          const message = `At most ${maxPictures} image(s) may be provided in one prompt.`;
          return answerWith(400, { error: { message, type: 'BadRequestError', code: 400 } });
        }
        return answerWith(200, answer);
      }
      const refused = request.url?.endsWith('/generate') ? refusal(requested, pictures) : undefined;
      if (refused !== undefined) return answerWith(500, { error: { message: refused, type: 'x', code: 500 } });
      if (samples && path.endsWith('/generate')) {
        const { tokens, logprobs, end } = await samples(sampleRequestOf(requested, urlsByHash));
        const content = logprobs.map((logprob) => ({ token: 'x', logprob, bytes: [], top_logprobs: [] }));
        return answerWith(200, {
          request_id: 'x',
          choices: [{ index: 0, token_ids: tokens, finish_reason: end, logprobs: { content } }],
        });
      }
      const body: Asked = requested;
      const number = requests.push(body) - 1;
      headers.push(request.headers);
      response.once('close', () => response.writableFinished || abandoned.push(number));
      const answer = script(body, number);
      if (answer === 'hang') return;
      if (answer === 'cut') return void request.socket.destroy();
      response.setHeader('content-type', 'application/json');
      if (answer === 'head, then hang') return void response.write('{"choices":');
      if (answer === 'head, then cut') {
        return void response.write('{"choices":', () => void setTimeout(20).then(() => request.socket.destroy()));
      }
      if ('status' in answer) {
        response.statusCode = answer.status;
        response.end(JSON.stringify({ error: { message: answer.message, type: 'x', code: answer.status } }));
        return;
      }
      if (request.url?.endsWith('/generate')) {
        const { ids, finishReason } = sampledBy(requested, answer);
        const choice = {
          ...{ index: 0, token_ids: ids, finish_reason: finishReason },
          ...(requested.output_mode === 'text' && { text: answer.text }),
          logprobs: { content: ids.map(() => ({ token: 'x', logprob: -0.5, bytes: [], top_logprobs: [] })) },
        };
        await setTimeout(answer.afterMs ?? 0);
        return answerWith(200, { request_id: 'x', choices: [choice] });
      }
      const prompt = body.messages.flatMap(({ role, content }) => [
        ...Buffer.from(`${role}${JSON.stringify(content)}`),
      ]);
      const ids = [...Buffer.from(answer.text)];
      // Like a chat template, repeat sampled text.
      const promptIds = answer.drift ? prompt.map((id) => id + 1) : joined(before, prompt);
      const cached = promptIds.findIndex((id, index) => id !== before[index]);
      before = [...promptIds, ...ids];
      const head = { id: 'chatcmpl-1', created: 0, model: 'double' };
      const logprobs = (tokens: readonly number[]) => ({
        logprobs: body.logprobs
          ? { content: tokens.map(() => ({ token: 'x', logprob: -0.5, bytes: null, top_logprobs: [] })) }
          : null,
      });
      const idsOf = (of: readonly number[]) => (body.return_token_ids ? { token_ids: of } : {});
      const promptIdsOf = body.return_token_ids ? { prompt_token_ids: promptIds } : {};
      if (body.stream) {
        const chunk = (delta: object, finish: string | null, tokens: readonly number[]) => ({
          ...head,
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta, finish_reason: finish, ...logprobs(tokens), ...idsOf(tokens) }],
        });
        const pieces = Array.from({ length: Math.ceil(ids.length / chunkLength) }, (_, index) =>
          ids.slice(index * chunkLength, (index + 1) * chunkLength),
        );
        const chunks = [
          { ...chunk({ role: 'assistant', content: '' }, null, []), ...promptIdsOf },
          ...pieces.map((piece) => chunk({ content: Buffer.from(piece).toString() }, null, piece)),
          chunk({}, answer.finish ?? 'stop', []),
        ];
        response.setHeader('content-type', 'text/event-stream; charset=utf-8');
        for (const each of chunks.slice(0, answer.diesAfter)) response.write(`data: ${JSON.stringify(each)}\n\n`);
        if (answer.diesAfter === undefined) response.end('data: [DONE]\n\n');
        else setImmediate(() => request.socket.destroy());
        return;
      }
      response.end(
        JSON.stringify({
          ...head,
          object: 'chat.completion',
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: answer.text },
              finish_reason: answer.finish ?? 'stop',
              ...logprobs(ids),
              ...idsOf(ids),
            },
          ],
          ...promptIdsOf,
          usage: {
            prompt_tokens: promptIds.length,
            completion_tokens: ids.length,
            total_tokens: promptIds.length + ids.length,
            prompt_tokens_details: { cached_tokens: Math.max(0, cached) },
          },
        }),
      );
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    headers,
    abandoned,
    ...{ pictures, adapters, renders },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const notEnabled = {
  status: 500,
  text: "Call to add_lora method failed: Worker failed with error 'LoRA is not enabled. Use --enable-lora to enable LoRA.'",
};

function adapterCall(
  adapters: Map<string, string>,
  path: string,
  { lora_name: name, lora_path: directory, load_inplace: inPlace = false }: AdapterRequest,
): { status: number; text: string } {
  if (path.endsWith('/unload_lora_adapter')) {
    if (!adapters.delete(name)) return { status: 404, text: `The lora adapter '${name}' cannot be found.` };
    return { status: 200, text: `Success: LoRA adapter '${name}' removed successfully.` };
  }
  if (adapters.has(name) && !inPlace)
    return { status: 400, text: `The lora adapter '${name}' has already been loaded.` };
  adapters.set(name, directory);
  return { status: 200, text: `Success: LoRA adapter '${name}' added successfully.` };
}

function joined(before: readonly number[], prompt: readonly number[]): number[] {
  return [...before, ...prompt.slice(before.length), ...(prompt.length > before.length ? [] : [10])];
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
