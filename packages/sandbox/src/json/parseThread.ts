import { parentPort } from 'node:worker_threads';
import { GyreError } from '@gyre/protocol';
import { parseJson } from './parsing.js';

/** Run as a thread by `Parser`: takes bytes, and answers with the value or with what is wrong. */

export type Parsed = { readonly value: unknown } | { readonly wrong: string; readonly fix: string | undefined };

parentPort!.on('message', (bytes: Uint8Array) => {
  let answer: Parsed;
  try {
    answer = { value: parseJson(bytes) };
  } catch (error) {
    answer = { wrong: (error as Error).message, fix: error instanceof GyreError ? error.detail.fix : undefined };
  }
  parentPort!.postMessage(answer);
});
