import { GyreError } from '@gyre/protocol';
import { existsSync } from 'node:fs';
import type { LineReader } from './lineReader.js';
import { hasOwnWeights, openOwnReader } from './own/ownReader.js';
import { openPaddleReader } from './paddle/paddleReader.js';
import { installedPaddleFolder } from './paddle/paddleModels.js';

/** Plain data, so that it can be sent to a thread. */
export interface ReaderOptions {
  /** A kind of reader, or a folder with the models of PP-OCR or the weights of gyre's own reader. Default: the first kind that is installed. */
  readonly reader?: string | undefined;
  /** Threads of each network. Default 1. */
  readonly threads?: number | undefined;
}

interface ReaderKind {
  isInstalled(): boolean;
  open(options: { readonly threads?: number | undefined }): Promise<LineReader>;
}

/** The preferred kind comes first. */
const kinds: ReadonlyMap<string, ReaderKind> = new Map([
  ['paddle', { isInstalled: () => installedPaddleFolder() !== undefined, open: openPaddleReader }],
  ['own', { isInstalled: () => hasOwnWeights(), open: openOwnReader }],
]);

/**
 * Opens a reader in this thread.
 *
 * @throws GyreError 'missing' without models, 'bad_input' if they are malformed or the name is neither a kind nor a folder.
 */
export async function openReader({ reader, threads }: ReaderOptions = {}): Promise<LineReader> {
  const installed = [...kinds.values()].find((kind) => kind.isInstalled());
  const kind = reader === undefined ? (installed ?? kinds.get('paddle')) : kinds.get(reader);
  if (kind !== undefined) return kind.open({ threads });
  if (reader !== undefined && hasOwnWeights(reader)) return openOwnReader({ folder: reader, threads });
  if (reader !== undefined && existsSync(reader)) return openPaddleReader({ folder: reader, threads });
  throw new GyreError('bad_input', `there is no reader "${reader}"`, {
    field: 'reader',
    fix: `use ${[...kinds.keys()].join(', ')}, or a folder with the models of PP-OCR or the weights of gyre's own reader`,
  });
}
