import { parentPort } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';
import { parseJson } from './parsing.js';

/** The thread of `Parser`: takes a text in pieces, returns its value or error. */

export interface ToThread {
  readonly id: number;
  /** Absent at the end. */
  readonly piece?: Uint8Array;
  readonly dropped?: boolean;
}

export type FromThread = { readonly id: number } & (
  { readonly value: unknown } | { readonly wrong: string; readonly fix: string | undefined }
);

const texts = new Map<number, Uint8Array[]>();

parentPort!.on('message', ({ id, piece, dropped }: ToThread) => {
  const pieces = texts.get(id) ?? [];
  if (piece) {
    texts.set(id, pieces);
    pieces.push(piece);
    return;
  }
  texts.delete(id);
  if (!dropped) parentPort!.postMessage(answer(id, pieces));
});

function answer(id: number, pieces: readonly Uint8Array[]): FromThread {
  try {
    return { id, value: parseJson(Buffer.concat(pieces)) };
  } catch (error) {
    return { id, wrong: (error as Error).message, fix: error instanceof GyreError ? error.detail.fix : undefined };
  }
}
