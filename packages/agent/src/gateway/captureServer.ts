import type { Lake } from '@gyre/lake';
import { GyreError, type TurnFormatName, VerdictSource } from '@gyre/protocol';
import { listen, ServerAccess, type ServerAccessOptions } from '@gyre/sandbox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { ApiError, apiError, chatApi, errorBody } from '../policy/endpoint/chatApi.js';
import { ChatAnswer, requestAdditions, withoutAdditions } from './chatAnswer.js';
import { ChatRequest, instructionOf, pictureOf } from './chatRequest.js';
import { Captures } from './captures.js';
import { eventsOf } from './serverEvents.js';
import { Upstream, forwardedHeaders } from './upstream.js';

export interface GatewayOptions extends Pick<ServerAccessOptions, 'allowHosts' | 'allowOrigins'> {
  /** Agents need a token for `operate`, the operator one for `admin`. Default: open, without an operator. */
  readonly tokens?: ServerAccessOptions['tokens'];
  /** Replaces the key that agents send. */
  readonly upstreamKey?: string | undefined;
  /** Base URL with version: `http://127.0.0.1:8000/v1`. */
  readonly upstream: string;
  /** Closing it cuts open episodes. */
  readonly lake: Pick<Lake, 'putScreenshot' | 'begin'>;
  /** Default: detected per text. */
  readonly format?: TurnFormatName | undefined;
  /** Ends idle episodes, in ms. Default 10 minutes. */
  readonly idleMs?: number;
  /** Default 127.0.0.1. Other hosts require tokens. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly log?: (line: string) => void;
}

export interface Gateway {
  /** Without version: agents use `URL/v1` or `URL/s/NAME/v1`. */
  readonly url: string;
  readonly counts: { readonly episodes: number; readonly turns: number };
  close(): Promise<void>;
}

/** Both outcome fields or neither. */
const End = z
  .strictObject({
    success: z.boolean(),
    /** Default 1 for a success, else 0. */
    score: z.number().min(0).max(1).optional(),
    source: VerdictSource.extract(['human', 'judge']).default('human'),
    evidence: z.record(z.string(), z.unknown()).default({}),
  })
  .transform(({ success, score = success ? 1 : 0, ...rest }) => ({ success, score, ...rest }));

/** Time for agents to receive the shutdown error, in ms. */
const farewellMs = 500;

const SessionName = z.string().regex(/^[\w.@-]{1,100}$/);

/**
 * Serves an upstream's API to agents with their own loop, recording each call as a turn. Requests token ids and
 * log-probabilities in addition, hidden from the agents.
 *
 * A call belongs to the session in its path (`/s/NAME/v1`) or `x-gyre-session` header, else to the conversation it
 * continues. A turn is stored before its answer ends; a storage failure becomes the agent's error. Refused, interrupted
 * and multi-choice calls are not recorded.
 *
 * An agent's own outcome has the source `agent` and is never trained on; the operator's counts as a person's or
 * judge's.
 *
 * @throws GyreError `bad_input` for an invalid upstream, or a public host without tokens; `infra` if the port is taken.
 */
export async function serveGateway(options: GatewayOptions): Promise<Gateway> {
  const { lake, format, idleMs = 600_000, host = '127.0.0.1', port = 0, log = () => undefined } = options;
  const upstream = new Upstream(options.upstream);
  const captures = new Captures({
    ...{ lake, format, idleMs, origin: { format: 'openai-chat', source: upstream.name } },
    onEnd: (name, { id, turns }) => log(`${name}: episode ${id} ended after ${turns} turns`),
  });
  const closing = new AbortController();
  const { tokens = [], allowHosts, allowOrigins, upstreamKey } = options;
  const anonymous = tokens.some(({ scope }) => scope === 'operate') ? 'nothing' : 'operate';
  const access = new ServerAccess({ host, tokens, anonymous, allowHosts, allowOrigins });
  const onRequest = access.may('operate');
  /** Drops the gateway's token, which the upstream must not see. */
  const onward = ({ authorization, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders => {
    if (upstreamKey !== undefined) return { ...headers, authorization: `Bearer ${upstreamKey}` };
    return authorization === undefined || access.known(authorization) ? headers : { ...headers, authorization };
  };
  const calls = new Calls(upstream, captures, { log, onward, closing: closing.signal });

  const app = chatApi(access);
  app.get('/health', { onRequest: access.open }, () => ({ status: 'ok' }));
  for (const prefix of ['', '/s/:session']) {
    app.get(`${prefix}/v1/models`, { onRequest }, (request, reply) => calls.models(request, reply));
    app.post(`${prefix}/v1/chat/completions`, { onRequest }, (request, reply) => calls.complete(request, reply));
  }
  app.post('/s/:session/end', { onRequest }, async (request) => {
    const verdict = End.optional().safeParse(request.body ?? undefined);
    if (!verdict.success) {
      const [issue] = verdict.error.issues;
      const field = issue?.path.join('.') || 'body';
      const message = `${field}: ${issue?.message ?? 'is invalid'}: send an empty body, or { "success": true, "score": 0..1, "source": "human" or "judge" }`;
      throw new ApiError(400, message, { code: 'bad_input', param: field });
    }
    const operator = access.bearer(request)?.scope === 'admin';
    const outcome = verdict.data && { ...verdict.data, source: operator ? verdict.data.source : ('agent' as const) };
    const { id, turns } = await captures.end(sessionOf(request) ?? '', outcome);
    return { episode: id, turns, ...(outcome && { source: outcome.source }) };
  });
  app.setNotFoundHandler((request) => {
    const message = `${request.method} ${request.url.split('?', 1).join()} is not a route: use GET /v1/models or POST /v1/chat/completions, optionally below /s/NAME, or POST /s/NAME/end`;
    throw new ApiError(404, message, { code: 'not_found' });
  });
  const url = await listen(app, { host, port });
  return {
    url,
    counts: captures.counts,
    async close() {
      closing.abort();
      captures.close();
      // Deliver shutdown errors, but do not wait for keep-alive connections.
      const rest = setTimeout(() => app.server.closeAllConnections(), farewellMs);
      await app.close().finally(() => clearTimeout(rest));
    },
  };
}

function sessionOf({ params, headers }: FastifyRequest): string | undefined {
  const { session = headers['x-gyre-session'] } = params as { session?: string };
  if (session === undefined) return undefined;
  const name = SessionName.safeParse(session);
  if (name.success) return name.data;
  const message = 'the session name is invalid: use 1 to 100 letters, digits and . _ @ -';
  throw new ApiError(400, message, { code: 'bad_input', param: 'session' });
}

class Calls {
  /** Models whose server refuses additional fields. */
  readonly #plain = new Set<string | undefined>();

  constructor(
    readonly upstream: Upstream,
    readonly captures: Captures,
    readonly terms: {
      readonly log: (line: string) => void;
      readonly onward: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
      readonly closing: AbortSignal;
    },
  ) {}

  async models({ headers, url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = `/models${queryOf(url)}`;
    const forwarded = {
      method: 'GET' as const,
      path,
      headers: this.terms.onward(headers),
      signal: this.#whileThere(reply),
    };
    return passOn(await this.upstream.ask(forwarded), reply);
  }

  async complete(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = bodyOf(request);
    const chatRequest = ChatRequest.parse(body);
    const session = this.captures.enter(sessionOf(request), chatRequest.messages);
    void reply.header('x-gyre-session', session.name);
    reply.raw.once('close', () => this.captures.leave(session));
    const answer = await this.#ask(request, body, chatRequest, this.#whileThere(reply));
    const { 'content-type': kind = '', 'content-encoding': encoding = 'identity' } = answer.headers;
    const readable = (answer.statusCode ?? 500) < 300 && encoding === 'identity';
    if (!readable || (chatRequest.n ?? 1) > 1) return passOn(answer, reply);
    const { 'content-length': _, ...headers } = forwardedHeaders(answer.headers);
    void reply.code(answer.statusCode ?? 200).headers(headers);

    const chat = new ChatAnswer();
    const keep = () => this.#keep(session, chatRequest, chat);
    if (kind.startsWith('text/event-stream'))
      return reply.send(Readable.from(this.#stream(answer, chatRequest, chat, keep)));
    const whole = await text(answer).catch((error: unknown) => {
      throw died(error, this.upstream.name);
    });
    const completion = parsed(whole);
    if (completion === undefined) return reply.send(whole);
    chat.add(completion);
    if (chat.whole) await keep();
    return reply.send(JSON.stringify(withoutAdditions(completion, chatRequest)));
  }

  /** Falls back to the agent's own request if the upstream refuses additional fields. */
  async #ask(
    { headers, url }: FastifyRequest,
    body: Record<string, unknown>,
    chatRequest: ChatRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const send = (payload: object) =>
      this.upstream.ask({
        ...{ method: 'POST', path: `/chat/completions${queryOf(url)}`, headers: this.terms.onward(headers), signal },
        body: JSON.stringify(payload),
      });
    if (this.#plain.has(chatRequest.model) || (chatRequest.n ?? 1) > 1) return send(body);
    const answer = await send({ ...body, ...requestAdditions });
    if (answer.statusCode !== 400 && answer.statusCode !== 422) return answer;
    answer.destroy();
    const plain = await send(body);
    if ((plain.statusCode ?? 500) < 300) {
      this.#plain.add(chatRequest.model);
      this.terms.log(
        `${chatRequest.model ?? 'the upstream'} does not return token ids and log-probabilities: capturing without them`,
      );
    }
    return plain;
  }

  async #keep(
    session: ReturnType<Captures['enter']>,
    { messages, model, seed }: ChatRequest,
    answer: ChatAnswer,
  ): Promise<void> {
    const { frame: picture, missing } = await pictureOf(messages);
    if (missing !== undefined) this.terms.log(`${session.name}: ${missing}`);
    const instruction = instructionOf(messages) ?? 'nothing was said';
    const call = { picture, instruction, model: answer.model ?? model ?? 'unknown', seed: seed ?? 0, answer };
    await this.captures.keep(session, messages, call);
    if (session.episode.turns === 1) this.terms.log(`${session.name}: episode ${session.episode.id} started`);
  }

  /** Holds back `[DONE]` until the turn is stored. */
  async *#stream(
    answer: IncomingMessage,
    chatRequest: ChatRequest,
    chat: ChatAnswer,
    keep: () => Promise<void>,
  ): AsyncGenerator<string> {
    const event = (data: string) => `data: ${data}\n\n`;
    let last = '';
    try {
      for await (const { data, text: sent } of eventsOf(answer)) {
        if (data === '[DONE]') {
          last = sent;
          continue;
        }
        const chunk = data === undefined ? undefined : parsed(data);
        if (chunk !== undefined) chat.add(chunk);
        yield chunk === undefined ? sent : event(JSON.stringify(withoutAdditions(chunk, chatRequest)));
      }
      if (chat.whole) await keep();
      yield last;
    } catch (error) {
      // Do not blame the upstream for a lake failure.
      const ours = error instanceof ApiError || error instanceof GyreError;
      const failure = ours ? apiError(error) : died(error, this.upstream.name);
      yield event(JSON.stringify(errorBody(failure)));
    }
  }

  /** Aborts when the agent disconnects or the gateway closes. */
  #whileThere(reply: FastifyReply): AbortSignal {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    return AbortSignal.any([gone.signal, this.terms.closing]);
  }
}

function bodyOf({ body }: FastifyRequest): Record<string, unknown> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new ApiError(400, 'the request is not a JSON object: send a chat completion', {
    code: 'bad_input',
    param: 'body',
  });
}

function passOn(answer: IncomingMessage, reply: FastifyReply): FastifyReply {
  return reply
    .code(answer.statusCode ?? 502)
    .headers(forwardedHeaders(answer.headers))
    .send(answer);
}

function died(error: unknown, upstream: string): ApiError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ApiError(502, `the upstream at ${upstream} interrupted its answer (${reason})`, { code: 'upstream_cut' });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function queryOf(url: string): string {
  const queryStart = url.indexOf('?');
  return queryStart < 0 ? '' : url.slice(queryStart);
}
