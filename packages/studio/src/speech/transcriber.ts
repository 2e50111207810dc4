import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

interface TranscriberOptions {
  /** Base URL of an OpenAI-compatible server, such as `http://127.0.0.1:8000/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** In ms. Default: 60 s. */
  readonly timeoutMs?: number | undefined;
}

/** Turns speech into text. */
export interface Transcriber {
  readonly model: string;
  /**
   * @param webm one recording
   * @throws GyreError `infra` of `model_server` if it fails, takes too long, or answers with something else
   */
  transcribe(webm: Uint8Array, signal?: AbortSignal): Promise<string>;
}

const Answer = z.object({ text: z.string() });
const Refusal = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });
const longestReason = 300;

/** Transcribes by `POST /audio/transcriptions` of an OpenAI-compatible server. */
export function openaiTranscriber({ url, model, apiKey, timeoutMs = 60_000 }: TranscriberOptions): Transcriber {
  const address = `${url.replace(/\/+$/, '')}/audio/transcriptions`;
  const failed = (reason: string, cause?: unknown): GyreError =>
    new GyreError('infra', `speech recognition at ${address} failed: ${reason}`, {
      ...{ part: 'model_server', field: '--transcribe', cause },
      fix: 'the recording is kept: check the server, then transcribe it again',
    });
  return {
    model,
    async transcribe(webm, signal) {
      const form = new FormData();
      form.set('file', new File([new Uint8Array(webm)], 'speech.webm', { type: 'audio/webm' }));
      form.set('model', model);
      form.set('response_format', 'json');
      const late = AbortSignal.timeout(timeoutMs);
      let status: number;
      let body: string;
      try {
        const response = await fetch(address, {
          ...{ method: 'POST', body: form, redirect: 'error' },
          headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
          signal: signal ? AbortSignal.any([late, signal]) : late,
        });
        ({ status } = response);
        body = await response.text();
      } catch (error) {
        if (late.aborted) throw failed(`no answer within ${timeoutMs / 1000} s`, error);
        throw failed(causeOf(error), error);
      }
      if (status >= 400) throw failed(`HTTP ${status}: ${reasonIn(body)}`);
      const answer = Answer.safeParse(jsonOf(body));
      if (!answer.success) throw failed(`the answer has no text: ${body.slice(0, longestReason)}`);
      return answer.data.text.trim();
    },
  };
}

function reasonIn(body: string): string {
  const refusal = Refusal.safeParse(jsonOf(body));
  if (!refusal.success) return body.slice(0, longestReason);
  const { error } = refusal.data;
  return (typeof error === 'string' ? error : error.message).slice(0, longestReason);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` names the reason in its cause only. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
