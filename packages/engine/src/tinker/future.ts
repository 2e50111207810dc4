import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { serverMessage } from '../served/serverMessage.js';
import type { TinkerAnswer, TinkerConnection } from './connection.js';
import { fieldOf, lostResult, refusal, unexpected } from './serverFault.js';

interface Source {
  readonly connection: TinkerConnection;
  /** Names the call that the answer belongs to. */
  readonly path: string;
}

const Promised = z.object({ request_id: z.union([z.string(), z.number()]).transform(String) });
/** Thinking Machines' service answers so instead of with 408. */
const TryAgain = z.object({ type: z.literal('try_again') });
const Failed = z.object({ error: z.string(), category: z.string().nullish() });

/** Servers hold a request for up to 300 s, as long as fetch waits; the SDK gives up at 45 s. */
const pollMs = 45_000;
const tryAgainMs = 1_000;

/** A result that the server computes. */
export class Future {
  readonly #source: Source;
  readonly #requestId: string;

  private constructor(source: Source, requestId: string) {
    this.#source = source;
    this.#requestId = requestId;
  }

  /** @throws GyreError `infra` if the answer promises no result. */
  static from(answer: TinkerAnswer, source: Source): Future {
    return new Future(source, parsed(Promised, answer, source).request_id);
  }

  static isPromised(answer: TinkerAnswer): boolean {
    return 'json' in answer && Promised.safeParse(answer.json).success;
  }

  async json(signal?: AbortSignal): Promise<unknown> {
    const answer = await this.#result(signal);
    if ('json' in answer) return answer.json;
    throw unexpected(this.#source.connection.url, this.#source.path, 'its result is protobuf, not JSON');
  }

  async bytes(signal?: AbortSignal): Promise<Uint8Array> {
    const answer = await this.#result(signal);
    if ('bytes' in answer) return answer.bytes;
    throw unexpected(this.#source.connection.url, this.#source.path, 'its result is JSON, not protobuf');
  }

  async #result(signal: AbortSignal | undefined): Promise<TinkerAnswer> {
    const { connection, path } = this.#source;
    for (;;) {
      const answer = await this.#poll(signal);
      if (answer === undefined || answer.status === 408) continue;
      const json = 'json' in answer ? answer.json : undefined;
      if (TryAgain.safeParse(json).success) {
        await delay(tryAgainMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
        continue;
      }
      const failed = Failed.safeParse(json);
      if (!failed.success && answer.status < 400) return answer;
      const words = serverMessage(failed.data?.error ?? JSON.stringify(json ?? ''));
      const category = failed.data?.category;
      if (answer.status === 404 || answer.status === 410) throw lostResult(connection.url, path, words);
      const status = answer.status >= 400 ? answer.status : category === 'user' ? 400 : 500;
      throw refusal({ url: connection.url, status, words, field: fieldOf(json), path });
    }
  }

  /** Returns undefined if the server has neither a result nor an answer yet. */
  async #poll(signal: AbortSignal | undefined): Promise<TinkerAnswer | undefined> {
    const timeout = AbortSignal.timeout(pollMs);
    const call = {
      ...{ path: 'retrieve_future', body: { request_id: this.#requestId }, isRepeatable: true },
      expects: [400, 404, 408, 410, 500],
      timeoutMs: 2 * pollMs,
    };
    try {
      return await this.#source.connection.send({
        ...call,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
    } catch (error) {
      if (timeout.aborted && !signal?.aborted) return undefined;
      throw error;
    }
  }
}

/** @throws GyreError `infra` for an answer of another shape. */
export function parsed<T>(shape: z.ZodType<T>, answer: TinkerAnswer, { connection, path }: Source): T {
  const result = shape.safeParse('json' in answer ? answer.json : undefined);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw unexpected(connection.url, path, [issue?.path.join('.'), issue?.message].filter(Boolean).join(': '));
}
