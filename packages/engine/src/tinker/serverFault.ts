import { GyreError } from '@gyre/protocol';
import { z } from 'zod';

interface ServerFault {
  readonly url: string;
  readonly status: number;
  /** The server's own. */
  readonly words: string;
  /** Named by the server. */
  readonly field?: string | undefined;
  readonly path: string;
}

const fields: Readonly<Record<number, string>> = { 401: 'apiKey', 403: 'apiKey', 409: 'seq_id', 413: 'data' };

/** SkyRL answers with 400 when a process of its trainer has died; these are Ray's words for it. */
const deadWorker = /\bactor (died|is dead)|ActorDiedError|worker process has died|WorkerCrashedError/i;

/** Translates an answer: refusals are `bad_input`; others `infra`, as of a server that fails. */
export function refusal({ url, status, words, field, path }: ServerFault): GyreError {
  const message = `the Tinker server at ${url} answered ${path} with ${status}${words === '' ? '' : `: ${words}`}`;
  const detail = { field: field ?? fields[status] ?? path, part: 'model_server' as const };
  if (deadWorker.test(words)) {
    return new GyreError('infra', message, { ...detail, fix: 'restart SkyRL with its Ray, then resume the run' });
  }
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (isRefused) return new GyreError('bad_input', message, { ...detail, fix: fixes[status] ?? 'change the request' });
  return new GyreError('infra', message, { ...detail, fix: "check the server's log" });
}

const fixes: Readonly<Record<number, string>> = {
  401: 'pass the API key of the server',
  403: 'pass the API key of the server',
  404: 'check the URL, and that the server still has the session, the model and the result',
};

export function unavailable(url: string, cause: unknown): GyreError {
  const { message, cause: inner } = cause as { message?: string; cause?: { message?: string } };
  const reason = [message, inner?.message].filter((text) => text !== undefined && text !== '').join(': ');
  return new GyreError('infra', `the Tinker server at ${url} does not answer (${reason})`, {
    ...{ field: 'url', part: 'model_server', cause },
    fix: 'check that it is running',
  });
}

export function unexpected(url: string, path: string, fault: string): GyreError {
  return new GyreError('infra', `the Tinker server at ${url} answered ${path} unexpectedly: ${fault}`, {
    ...{ field: path, part: 'model_server' },
    fix: 'use a server that speaks the protocol of Tinker SDK 0.25, such as SkyRL 0.4',
  });
}

export function lostResult(url: string, path: string, words: string): GyreError {
  return new GyreError('infra', `the Tinker server at ${url} has lost the result of ${path}: ${words}`, {
    ...{ field: path, part: 'model_server' },
    fix: 'check whether it was restarted, and resume from saved weights',
  });
}

/** Either gyre's field, or FastAPI's location. */
const Named = z.union([
  z.object({ field: z.string() }).transform(({ field }) => field),
  z
    .object({ detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])).min(1) })).min(1) })
    .transform(({ detail: [first] }) => first?.loc.filter((part) => part !== 'body').join('.')),
]);

/** Returns the field that an error names. */
export const fieldOf = (json: unknown): string | undefined => Named.safeParse(json).data || undefined;
