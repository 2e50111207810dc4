import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Action, Sample } from '@gyre/protocol';
import { GyreError, onScreen, parseT5, printT5 } from '@gyre/protocol';
import { type Engine, type Screenshot, vocabularyOf } from '@gyre/engine';
import { Access, type AccessOptions } from '@gyre/sandbox';
import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { z } from 'zod';
import { decideNatively } from '../nativePolicy.js';
import { ApiError, chatApi, listen } from './chatApi.js';
import { imageBytes } from './dataUrl.js';

const Part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
]);
const Content = z.union([z.string(), z.array(Part)]);

/** A request for a chat completion, as far as the native policy heeds it; what it does not know is left aside. */
const Request = z.object({
  model: z.string().optional(),
  messages: z
    .array(
      z.object({
        role: z.enum(['system', 'developer', 'user', 'assistant']),
        content: Content,
      }),
    )
    .min(1),
  temperature: z.number().min(0).max(2).default(1),
  top_p: z.number().gt(0).max(1).default(1),
  seed: z
    .int()
    .nonnegative()
    .max(2 ** 32 - 1)
    .optional(),
  /** Of them, what vLLM's reasoning models heed: whether it thinks before it acts. */
  chat_template_kwargs: z.object({ enable_thinking: z.boolean().optional() }).optional(),
  n: z.literal(1).default(1),
  stream: z.boolean().default(false),
  logprobs: z.boolean().default(false),
  return_token_ids: z.boolean().default(false),
});
type Request = z.infer<typeof Request>;

export interface ModelServerOptions extends AccessOptions {
  readonly engine: Engine;
  /** The model's name. */
  readonly name: string;
  /** Default 0: any that is free. */
  readonly port?: number;
}

export interface ModelServer {
  /** Of the API with its version, as clients want it: `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the native policy by OpenAI's chat completions, with images, streaming, token ids and log-probabilities as vLLM has them.
 * It was trained on instructions, not on chats: the first user message's text is the instruction, the newest image the screen, the
 * assistant's messages the past, in T5; system messages are for other models. An answer is one turn in T5.
 */
export async function serveModel(options: ModelServerOptions): Promise<ModelServer> {
  const { engine, name, host = '127.0.0.1', port = 0 } = options;
  const access = new Access(options);
  const app = chatApi(access);
  routes(app, access, { engine, name });
  const url = await listen(app, { host, port });
  return { url: `${url}/v1`, close: () => app.close() };
}

function routes(
  app: FastifyInstance,
  { may, open }: Access,
  { engine, name }: Pick<ModelServerOptions, 'engine' | 'name'>,
): void {
  const onRequest = may('operate');
  const created = Math.floor(Date.now() / 1000);
  app.get('/health', { onRequest: open }, () => ({ status: 'ok' }));
  app.get('/v1/models', { onRequest }, () => ({
    object: 'list',
    data: [{ id: name, object: 'model', created, owned_by: 'gyre' }],
  }));
  app.post('/v1/chat/completions', { onRequest }, async (request, reply) => {
    const wanted = requestOf(request.body);
    if (wanted.model !== undefined && wanted.model !== name)
      throw new ApiError(404, `there is no model "${wanted.model}": this server has "${name}"`, {
        code: 'model_not_found',
        param: 'model',
      });
    const answer = await answerOf(wanted, engine, name);
    if (!wanted.stream) return answer.whole;
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as OutgoingHttpHeaders),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    for (const chunk of answer.chunks) reply.raw.write(`data: ${JSON.stringify(chunk)}\n\n`);
    reply.raw.end('data: [DONE]\n\n');
    return reply;
  });
}

async function answerOf(wanted: Request, engine: Engine, name: string) {
  const { messages, temperature, top_p: topP } = wanted;
  const screenshot = await newest(messages);
  const seed = wanted.seed ?? Math.floor(Math.random() * 2 ** 32);
  const decided = await decideNatively({
    engine,
    instruction: instructionOf(messages),
    past: pastOf(messages),
    screenshots: [screenshot],
    vocabulary: vocabularyOf(screenshot.size),
    temperature,
    topP,
    thinks: wanted.chat_template_kwargs?.enable_thinking,
    seed,
  });
  const text = printT5(decided);
  const { sample, promptTokens } = decided;
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: name,
    system_fingerprint: `gyre-${sample.policyVersion}`,
  };
  const usage = {
    prompt_tokens: promptTokens.length,
    completion_tokens: sample.tokens.length,
    total_tokens: promptTokens.length + sample.tokens.length,
  };
  const ids = wanted.return_token_ids ? { token_ids: sample.tokens } : {};
  const logprobs = wanted.logprobs ? { logprobs: logprobsOf(sample) } : {};
  const whole = {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop', ...logprobs, ...ids }],
    usage,
    ...(wanted.return_token_ids && { prompt_token_ids: promptTokens }),
  };
  const chunk = (delta: object, finish: string | null, more = {}) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish, ...more }],
  });
  // The policy decides on a whole action at once: its text comes in the parts that it has.
  const pieces = text.match(/<[^>]*>|[^<]+/g) ?? [];
  const chunks = [
    chunk({ role: 'assistant', content: '' }, null),
    ...pieces.map((content) => chunk({ content }, null)),
    chunk({}, 'stop', { ...logprobs, ...ids }),
  ];
  return { whole, chunks };
}

function logprobsOf({ tokens, logprobs }: Sample) {
  const content = logprobs.map((logprob, index) => ({
    token: `token_id:${tokens[index]}`,
    logprob,
    bytes: null,
    top_logprobs: [],
  }));
  return { content, refusal: null };
}

function requestOf(body: unknown): Request {
  // Null is how the API has it that nothing is said.
  const said = Object.entries(body ?? {}).filter(([, value]) => value !== null);
  const parsed = Request.safeParse(Object.fromEntries(said));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new GyreError('bad_input', `${field || 'the request'}: ${issue?.message ?? 'does not fit'}`, {
    field: field || 'body',
    fix: 'send a chat completion with messages of text and images',
  });
}

type Messages = Request['messages'];

const partsOf = (content: Messages[number]['content']) =>
  typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;

function instructionOf(messages: Messages): string {
  const first = messages.find(({ role }) => role === 'user');
  const text = first && partsOf(first.content).find((part) => part.type === 'text' && part.text.trim() !== '');
  if (text?.type === 'text') return text.text;
  throw new GyreError('bad_input', 'there is no instruction', {
    field: 'messages',
    fix: 'let the first user message hold a text',
  });
}

/** The actions of each turn that the assistant has printed; of what is no turn of T5, none. */
function pastOf(messages: Messages): { actions: Action[] }[] {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => {
      const text = partsOf(content)
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('');
      const parsed = parseT5(text);
      // It is asked about the screen alone: what a shell has answered is not heard here.
      return { actions: parsed.ok ? onScreen(parsed.actions) : [] };
    });
}

async function newest(messages: Messages): Promise<Screenshot> {
  const images = messages.flatMap(({ content }) => partsOf(content)).filter((part) => part.type === 'image_url');
  const url = images.at(-1)?.image_url.url;
  const bytes = imageBytes(url ?? '');
  if (bytes === undefined) {
    throw new GyreError(
      'bad_input',
      url === undefined ? 'there is no screenshot' : 'the newest image is no data: URL',
      {
        field: 'messages',
        fix: 'let a message hold an image_url of the form data:image/png;base64,...',
      },
    );
  }
  const { data, info } = await sharp(bytes)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      throw new GyreError('bad_input', 'the newest image cannot be decoded', {
        field: 'messages',
        fix: 'send a PNG, JPEG or WebP',
        cause,
      });
    });
  const size = { width: info.width, height: info.height };
  return { hash: createHash('sha256').update(bytes).digest('hex'), pixels: data, size };
}
