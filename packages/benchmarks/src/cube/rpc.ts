import { setTimeout as delay } from 'node:timers/promises';
import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

/** In bytes: any observation with screenshots is smaller. */
const maxAnswer = 2 ** 26;

const pollMs = 250;

const Answer = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({ result: z.unknown() }),
]);

export interface CubeCallOptions {
  readonly timeoutMs: number;
}

/** A server of the CUBE standard (0.1): JSON-RPC 2.0 by POST to its root. */
export class CubeServer {
  readonly url: string;
  #calls = 0;

  /** @throws GyreError `bad_input` unless it is an HTTP URL */
  constructor(url: string) {
    const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    if (!isHttp)
      throw new GyreError('bad_input', `"${url}" is no HTTP URL`, { field: '--cube', fix: 'use http://HOST:PORT' });
    this.url = url;
  }

  /**
   * @throws GyreError `infra` with the part `benchmark` if the server fails, does not answer in time, or otherwise than the standard
   *   says: an exception of a benchmark's code is no score
   */
  async call<T>(method: string, params: object, shape: z.ZodType<T>, { timeoutMs }: CubeCallOptions): Promise<T> {
    const id = ++this.#calls;
    const text = await this.#post({ jsonrpc: '2.0', method, params, id }, timeoutMs);
    const answer = Answer.safeParse(parsed(text)).data;
    if (answer === undefined) throw this.#fault(`answered ${method} with ${text.slice(0, 200) || 'nothing'}`);
    if ('error' in answer)
      throw this.#fault(`answered ${method} with error ${answer.error.code}: ${shortened(answer.error.message)}`);
    const result = shape.safeParse(answer.result);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw this.#fault(`answered ${method} unexpectedly: ${issue?.path.join('.')} ${issue?.message}`);
  }

  /** Waits for a server that was just started: its address is known before it listens. */
  async ready({ timeoutMs }: CubeCallOptions): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      try {
        // Not a valid request: every server of the standard refuses it at once.
        await this.#post({}, 5_000);
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await delay(pollMs);
    }
  }

  async #post(body: object, timeoutMs: number): Promise<string> {
    try {
      const answer = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const parts: Uint8Array[] = [];
      let length = 0;
      for await (const part of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
        length += part.length;
        if (length > maxAnswer) throw new Error(`more than ${maxAnswer} bytes`);
        parts.push(part);
      }
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      return Buffer.concat(parts).toString();
    } catch (cause) {
      const { message, cause: inner } = cause as { message: string; cause?: { message?: string } };
      throw this.#fault(`does not answer: ${inner?.message || message}`, cause);
    }
  }

  #fault(words: string, cause?: unknown): GyreError {
    return new GyreError('infra', `the CUBE server at ${this.url} ${words}`, { part: 'benchmark', cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const shortened = (text: string): string => (text.length > 400 ? `${text.slice(0, 400)}...` : text);
