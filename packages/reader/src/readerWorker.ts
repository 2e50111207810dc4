import { type ErrorCode, GyreError, type Reading } from '@gyre/protocol';
import { parentPort, workerData } from 'node:worker_threads';
import { openReader, type ReaderOptions } from './openReader.js';
import type { Screen } from './reader.js';

export type Request = { readonly id: number } & (
  | { readonly method: 'name' | 'close' }
  | {
      readonly method: 'read';
      readonly screen: Screen;
      readonly previous: { readonly screen: Screen; readonly reading: Reading } | undefined;
    }
);

export type Reply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: PlainError };

interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly detail: { readonly field?: string | undefined; readonly fix?: string | undefined };
}

const reader = openReader(workerData as ReaderOptions);
// The request for the name reports it.
reader.catch(() => undefined);

parentPort?.on('message', (request: Request) => {
  void reply(request);
});

async function reply(request: Request): Promise<void> {
  const { id } = request;
  let message: Reply;
  try {
    message = { id, ok: true, value: await answer(request) };
  } catch (error) {
    message = { id, ok: false, error: plain(error) };
  }
  parentPort?.postMessage(message);
}

async function answer(request: Request): Promise<unknown> {
  const opened = await reader;
  if (request.method === 'read') return opened.read(request.screen, request.previous);
  return request.method === 'name' ? opened.name : opened.close();
}

function plain(error: unknown): PlainError {
  if (error instanceof GyreError) {
    const { field, fix } = error.detail;
    return { code: error.code, message: error.message, detail: { field, fix } };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'bug', message, detail: {} };
}
