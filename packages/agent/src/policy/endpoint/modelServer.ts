import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Action, TurnFormat, TurnMessage } from '@gyre/protocol';
import { GyreError, onScreen, parseT5, printT5, printIfExpressible, turnFormat } from '@gyre/protocol';
import {
  type NativeEngine,
  type NativeSampled,
  type NativeSampleRequest,
  sceneOf,
  sceneVocabularyHash,
  type Screenshot,
  type TokenLogprob,
  type Vocabulary,
  vocabularyHash,
  vocabularyOf,
} from '@gyre/engine';
import { listen, ServerAccess, type ServerAccessOptions } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { z } from 'zod';
import { decideNatively } from '../nativePolicy.js';
import { sampleTurn } from '../readingPolicy.js';
import type { ScreenReader } from '../screenTexts.js';
import { ApiError, chatApi } from './chatApi.js';
import { type ChatTurn, chatScene, ChatTexts } from './chatScene.js';
import { imageBytes } from './dataUrl.js';
import { requireFittingInstruction, nativePrompt } from '../../language/nativePrompt.js';

const Part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
]);
const Content = z.union([z.string(), z.array(Part)]);

const maxChoices = 16;

/** Ignores unlisted fields. */
const Request = z
  .object({
    model: z.string().optional(),
    messages: z
      .array(
        z.object({
          role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
          // The assistant may only call tools.
          content: Content.nullish().transform((content) => content ?? ''),
        }),
      )
      .min(1),
    temperature: z.number().min(0).max(2).default(1),
    top_p: z.number().gt(0).max(1).default(1),
    seed: z.int().optional(),
    /** Newer and older name. */
    max_completion_tokens: z.int().positive().optional(),
    max_tokens: z.int().positive().optional(),
    stop: z
      .union([z.string(), z.array(z.string()).max(4, 'must have at most 4 strings')])
      .transform((stop) => [stop].flat().filter((text) => text !== ''))
      .default([]),
    /** Thinking toggles: vLLM's, then Anthropic's and Doubao's. */
    chat_template_kwargs: z.object({ enable_thinking: z.boolean().optional() }).optional(),
    thinking: z
      .object({ type: z.enum(['enabled', 'disabled']).optional().catch(undefined) })
      .optional()
      .catch(undefined),
    n: z.int().min(1).max(maxChoices).default(1),
    stream: z.boolean().default(false),
    stream_options: z.object({ include_usage: z.boolean().default(false) }).optional(),
    logprobs: z.boolean().default(false),
    top_logprobs: z.int().min(0).max(20).default(0),
    return_token_ids: z.boolean().default(false),
  })
  .refine(({ stream, stream_options: options }) => stream || !options, {
    path: ['stream_options'],
    message: 'requires stream: true',
  })
  .refine(({ logprobs, top_logprobs: top }) => logprobs || top === 0, {
    path: ['top_logprobs'],
    message: 'requires logprobs: true',
  });
type Request = z.infer<typeof Request>;

export interface ModelServerOptions extends ServerAccessOptions {
  readonly engine: NativeEngine;
  /** Required if the engine's architecture has a reader. */
  readonly reader?: ScreenReader | undefined;
  readonly name: string;
  readonly port?: number;
}

export interface ModelServer {
  /** With version: `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the native policy as OpenAI chat completions, with vLLM's token ids and log-probabilities. Reads the first
 * user message as the instruction (in UI-TARS' prompt, below the last heading), the newest image as the screen and
 * assistant messages as the past. A policy with a reader also reads the images before past turns. `max_tokens` and
 * `stop` truncate the text, not the ids.
 */
export async function serveModel(options: ModelServerOptions): Promise<ModelServer> {
  const { engine, reader, name, host = '127.0.0.1', port = 0 } = options;
  const access = new ServerAccess(options);
  const app = chatApi(access);
  routes(app, access, { engine, name, texts: reader && new ChatTexts(reader) });
  const url = await listen(app, { host, port });
  return { url: `${url}/v1`, close: () => app.close() };
}

interface Served extends Pick<ModelServerOptions, 'engine' | 'name'> {
  /** For a policy with a reader. */
  readonly texts: ChatTexts | undefined;
}

function routes(app: FastifyInstance, { may, open }: ServerAccess, served: Served): void {
  const { name } = served;
  const onRequest = may('operate');
  const created = Math.floor(Date.now() / 1000);
  app.get('/health', { onRequest: open }, () => ({ status: 'ok' }));
  app.get('/v1/models', { onRequest }, () => ({
    object: 'list',
    data: [{ id: name, object: 'model', created, owned_by: 'gyre' }],
  }));
  app.post('/v1/chat/completions', { onRequest }, async (request, reply) => {
    const chat = requestOf(request.body);
    if (chat.model !== undefined && chat.model !== name)
      throw new ApiError(404, `unknown model "${chat.model}": this server has "${name}"`, {
        code: 'model_not_found',
        param: 'model',
      });
    const answer = await answerOf(chat, served);
    if (!chat.stream) return answer.whole;
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    for (const chunk of answer.chunks) reply.raw.write(`data: ${JSON.stringify(chunk)}\n\n`);
    reply.raw.end('data: [DONE]\n\n');
    return reply;
  });
  app.setNotFoundHandler((request) => {
    const message = `${request.method} ${request.url.split('?', 1).join()} is not a route: use GET /v1/models or POST /v1/chat/completions`;
    throw new ApiError(404, message, { code: 'not_found' });
  });
}

async function answerOf(chat: Request, { engine, name, texts }: Served) {
  const { messages, temperature, top_p: topP, logprobs: asksLogprobs, return_token_ids: asksIds } = chat;
  const { instruction, format: formatName } = nativePrompt(systemText(messages), firstUserText(messages));
  const screenshot = await newest(messages);
  const vocabulary = vocabularyOf(screenshot.size);
  const format = turnFormat(formatName, screenshot.size);
  const seed = chat.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : chat.seed >>> 0;
  const { enable_thinking: thinks = thinksBy[chat.thinking?.type ?? ''] } = chat.chat_template_kwargs ?? {};
  const sampling = { temperature, topP, thinks, topLogprobs: asksLogprobs ? chat.top_logprobs : 0 };
  const decide = await deciderOf(engine, texts, { instruction, messages, format, screenshot, vocabulary, sampling });
  const decisions = await Promise.all(Array.from({ length: chat.n }, (_, index) => decide((seed + index) >>> 0)));
  const choices = decisions.map((decided) => choiceOf(decided, format, vocabulary, chat));
  const [{ sample, promptTokens, promptLength }] = decisions as [Decided];
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: name,
    system_fingerprint: `gyre-${sample.policyVersion}-${texts ? sceneVocabularyHash : vocabularyHash}`,
  };
  const sampled = choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const usage = {
    prompt_tokens: promptLength,
    completion_tokens: sampled,
    total_tokens: promptLength + sampled,
  };
  const ids = asksIds && promptTokens ? { prompt_token_ids: promptTokens } : {};
  const whole = {
    ...head,
    object: 'chat.completion',
    choices: choices.map(({ text, finish, more }, index) => ({
      ...{ index, message: { role: 'assistant', content: text, refusal: null }, finish_reason: finish },
      ...more,
    })),
    usage,
    ...ids,
  };
  const { include_usage: tellsUsage = false } = chat.stream_options ?? {};
  const chunkOf = (rest: object) => ({
    ...head,
    object: 'chat.completion.chunk',
    ...rest,
    // The API sends null in all but the last chunk.
    ...(tellsUsage && !('usage' in rest) && { usage: null }),
  });
  const chunk = (index: number, delta: object, finish: string | null, more = {}) =>
    chunkOf({ choices: [{ index, delta, finish_reason: finish, ...more }], ...more });
  const chunks = [
    ...choices.flatMap(({ text, finish, more }, index) => [
      chunk(index, { role: 'assistant', content: '' }, null),
      // Decided at once, but sent in parts.
      ...(text.match(/<[^>]*>|[^<]+|</g) ?? []).map((content) => chunk(index, { content }, null)),
      chunk(index, {}, finish, more),
    ]),
    ...(tellsUsage ? [chunkOf({ choices: [], usage })] : []),
  ];
  return { whole, chunks: chunks.map((each, index) => (index === 0 ? { ...each, ...ids } : each)) };
}

/** A decision for one choice of an answer. */
interface Decided extends TurnMessage {
  readonly sample: Pick<NativeSampled, 'tokens' | 'logprobs' | 'policyVersion'>;
  readonly topLogprobs?: NativeSampled['topLogprobs'];
  /** Undefined for a policy with a reader, whose prompt is a scene. */
  readonly promptTokens?: number[];
  readonly promptLength: number;
}

async function deciderOf(
  engine: NativeEngine,
  texts: ChatTexts | undefined,
  {
    instruction,
    messages,
    format,
    screenshot,
    vocabulary,
    sampling,
  }: {
    instruction: string;
    messages: Messages;
    format: TurnFormat;
    screenshot: Screenshot;
    vocabulary: Vocabulary;
    sampling: Pick<NativeSampleRequest, 'temperature' | 'thinks' | 'topLogprobs'> & { topP: number };
  },
): Promise<(seed: number) => Promise<Decided>> {
  if (!texts) {
    requireFittingInstruction(vocabulary, instruction);
    const past = pastOf(messages, format);
    const common = { engine, instruction, past, screenshots: [screenshot], vocabulary, ...sampling };
    return async (seed) => {
      const decided = await decideNatively({ ...common, seed });
      return { ...decided, promptLength: decided.promptTokens.length };
    };
  }
  const turns = await turnsOf(messages, format);
  const input = await chatScene(texts, { instruction, turns, newest: screenshot });
  const [read = screenshot] = input.screenshots;
  const tokens = sceneOf(read, input.scene ?? { instruction, past: [] }, input.clock);
  const promptLength = 1 + tokens.instruction.length + tokens.screen.length + tokens.past.length;
  return async (seed) => {
    const { turn, sampled } = await sampleTurn(engine, { input, ...sampling, seed });
    return { ...turn, sample: sampled, topLogprobs: sampled.topLogprobs, promptLength };
  };
}

const thinksBy: Readonly<Record<string, boolean | undefined>> = { enabled: true, disabled: false };

function choiceOf(
  decided: Decided,
  format: TurnFormat,
  vocabulary: Vocabulary,
  { logprobs: asksLogprobs, return_token_ids: asksIds, stop, ...limits }: Request,
) {
  const { sample, topLogprobs = [] } = decided;
  const maxTokens = limits.max_completion_tokens ?? limits.max_tokens ?? Infinity;
  const isCut = sample.tokens.length > maxTokens;
  const tokens = sample.tokens.slice(0, maxTokens);
  // T5 can express everything.
  const whole = printIfExpressible(format, decided) ?? printT5(decided);
  const text = isCut ? beginningOf(decided, tokens, whole, vocabulary) : whole;
  const ends = stop.map((words) => text.indexOf(words)).filter((index) => index >= 0);
  const content = asksLogprobs
    ? tokens.map((token, index) => ({
        ...logprobOf({ token, logprob: sample.logprobs[index] ?? 0 }),
        top_logprobs: (topLogprobs[index] ?? []).map(logprobOf),
      }))
    : undefined;
  return {
    tokens,
    text: ends.length > 0 ? text.slice(0, Math.min(...ends)) : text,
    finish: isCut && ends.length === 0 ? 'length' : 'stop',
    more: { ...(content && { logprobs: { content, refusal: null } }), ...(asksIds && { token_ids: tokens }) },
  };
}

/** Returns the thought so far, without incomplete actions. */
function beginningOf(
  { thought, actions }: TurnMessage,
  tokens: readonly number[],
  whole: string,
  vocabulary: Vocabulary,
): string {
  if (thought === undefined) return '';
  const inside = tokens.indexOf(vocabulary.end);
  const begun = inside < 0 ? vocabulary.spell(tokens.slice(1)) : thought;
  const place = whole.indexOf(thought);
  if (place < 0 || actions.length === 0) return '';
  return whole.slice(0, place) + begun;
}

const logprobOf = ({ token, logprob }: TokenLogprob) => ({ token: `token_id:${token}`, logprob, bytes: null });

function requestOf(body: unknown): Request {
  // Clients send null for absent fields.
  const present = Object.entries(body ?? {}).filter(([, value]) => value !== null);
  const parsed = Request.safeParse(Object.fromEntries(present));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new GyreError('bad_input', `${field || 'the request'}: ${issue?.message ?? 'is invalid'}`, {
    field: field || 'body',
    fix: 'send a chat completion whose messages contain texts and images',
  });
}

type Messages = Request['messages'];

const partsOf = (content: Messages[number]['content']) =>
  typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;

const textIn = (content: Messages[number]['content']): string =>
  partsOf(content)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');

const systemText = (messages: Messages): string =>
  messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => textIn(content))
    .join('\n');

function firstUserText(messages: Messages): string {
  const first = messages.find(({ role }) => role === 'user');
  const text = first && partsOf(first.content).find((part) => part.type === 'text' && part.text.trim() !== '');
  if (text?.type === 'text') return text.text;
  throw new GyreError('bad_input', 'the request has no instruction', {
    field: 'messages',
    fix: 'put a text into the first user message',
  });
}

function pastOf(messages: Messages, format: TurnFormat): { actions: Action[] }[] {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map((message) => ({ actions: actionsOf(message, format) }));
}

/** Returns no actions for a malformed turn. */
function actionsOf({ content }: Messages[number], format: TurnFormat): Action[] {
  const text = textIn(content);
  const inFormat = format.parse(text);
  const parsed = inFormat.ok ? inFormat : parseT5(text);
  // Requests contain no shell output.
  return parsed.ok ? onScreen(parsed.actions) : [];
}

const imagesIn = ({ content }: Messages[number]): string[] =>
  partsOf(content).flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));

/** Returns past turns with the last image before each. */
async function turnsOf(messages: Messages, format: TurnFormat): Promise<ChatTurn[]> {
  const turns: { actions: Action[]; image: string | undefined }[] = [];
  let image: string | undefined;
  for (const message of messages) {
    image = imagesIn(message).at(-1) ?? image;
    if (message.role !== 'assistant') continue;
    turns.push({ actions: actionsOf(message, format), image });
    image = undefined;
  }
  return Promise.all(
    turns.map(async ({ actions, image }) => ({
      actions,
      ...(image !== undefined && { screenshot: await decoded(image, 'an earlier image') }),
    })),
  );
}

function newest(messages: Messages): Promise<Screenshot> {
  return decoded(messages.flatMap(imagesIn).at(-1), 'the newest image');
}

async function decoded(url: string | undefined, name: string): Promise<Screenshot> {
  const bytes = imageBytes(url ?? '');
  if (bytes === undefined) {
    throw new GyreError(
      'bad_input',
      url === undefined ? 'the request has no screenshot' : `${name} is not a data: URL`,
      {
        field: 'messages',
        fix: 'send an image_url of the form data:image/png;base64,...',
      },
    );
  }
  const { data, info } = await sharp(bytes)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      throw new GyreError('bad_input', `${name} cannot be decoded`, {
        field: 'messages',
        fix: 'send a PNG, JPEG or WebP',
        cause,
      });
    });
  const size = { width: info.width, height: info.height };
  return { hash: createHash('sha256').update(bytes).digest('hex'), pixels: data, size };
}
