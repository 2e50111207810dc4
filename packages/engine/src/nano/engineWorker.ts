import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, GyreError } from '@gyre/protocol';
import { EmbeddedEngine, type NativeEngineOptions } from './embeddedEngine.js';

export interface Request {
  id: number;
  method: 'ready' | 'sample' | 'forward' | 'forwardBackward' | 'optimStep' | 'readGlyphs' | 'save' | 'load' | 'close';
  args: unknown[];
}
export type Reply =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; error: { code: ErrorCode; message: string; detail: { field?: string; fix?: string } } };

const engine = new EmbeddedEngine(workerData as NativeEngineOptions);
const port = parentPort;

port?.on('message', ({ id, method, args }: Request) => {
  void answer(id, method, args);
});

// An unreadable request would be awaited forever.
port?.on('messageerror', (error) => {
  throw error;
});

async function answer(id: number, method: Request['method'], args: unknown[]): Promise<void> {
  try {
    const calls = engine as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    reply({ id, ok: true, value: await calls[method]!(...args) });
  } catch (error) {
    reply({ id, ok: false, error: describe(error) });
  }
}

function reply(reply: Reply): void {
  port?.postMessage(reply);
}

function describe(error: unknown): Extract<Reply, { ok: false }>['error'] {
  if (error instanceof GyreError) {
    const { field, fix } = error.detail;
    return { code: error.code, message: error.message, detail: { ...(field && { field }), ...(fix && { fix }) } };
  }
  return {
    code: 'bug',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    detail: {},
  };
}
