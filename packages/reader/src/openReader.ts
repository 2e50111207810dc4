import { GyreError } from '@gyre/protocol';
import { existsSync } from 'node:fs';
import type { LineReader } from './lineReader.js';
import { hasOwnWeights, openOwnReader } from './own/ownReader.js';
import { openPaddleReader } from './paddle/paddleReader.js';

/** Plain data, so that it can be sent to a thread. */
export interface ReaderOptions {
  /** A kind of reader, or a folder with the weights of gyre's own reader or the models of PP-OCR. Default: `own`, gyre's. */
  readonly reader?: string | undefined;
  /** Threads of each network. Default 1. */
  readonly threads?: number | undefined;
}

type OpenKind = (options: { readonly threads?: number | undefined }) => Promise<LineReader>;

const kinds: ReadonlyMap<string, OpenKind> = new Map([
  ['own', openOwnReader],
  ['paddle', openPaddleReader],
]);

/**
 * Opens a reader in this thread.
 *
 * @throws GyreError 'missing' without models, 'bad_input' if they are malformed or the name is neither a kind nor a folder.
 */
export async function openReader({ reader = 'own', threads }: ReaderOptions = {}): Promise<LineReader> {
  const openKind = kinds.get(reader);
  if (openKind !== undefined) return openKind({ threads });
  if (hasOwnWeights(reader)) return openOwnReader({ folder: reader, threads });
  if (existsSync(reader)) return openPaddleReader({ folder: reader, threads });
  throw new GyreError('bad_input', `there is no reader "${reader}"`, {
    field: 'reader',
    fix: `use ${[...kinds.keys()].join(', ')}, or a folder with the weights of gyre's own reader or the models of PP-OCR`,
  });
}
