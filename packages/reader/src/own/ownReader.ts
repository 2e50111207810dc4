import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LineCache } from '../lineCache.js';
import { LineReader } from '../lineReader.js';
import { OwnDetector } from './detector.js';
import { loadDetector } from './detectorWeights.js';
import { OwnRecogniser } from './recogniser.js';
import { loadRecogniser } from './recogniserWeights.js';

export interface OwnReaderOptions {
  /** Holds the weights that `gyre train reader` wrote. Default: those of this package. */
  readonly folder?: string | undefined;
  /** Threads of each network. Default 1. */
  readonly threads?: number | undefined;
  readonly cache?: LineCache | undefined;
}

const packageFolder = fileURLToPath(new URL('../../own', import.meta.url));
/** Changes with whatever changes readings of the same weights. */
const revision = 2;

/** Tells whether a folder, by default this package's, has the weights of both parts. */
export function hasOwnWeights(folder = packageFolder): boolean {
  return [detectorFile(folder), recogniserFile(folder)].every((file) => existsSync(file));
}

/**
 * Opens gyre's own reader of English and Chinese screens.
 *
 * @throws GyreError 'missing' without weights, 'corrupt' if they are damaged.
 */
export async function openOwnReader(options: OwnReaderOptions = {}): Promise<LineReader> {
  const { folder = packageFolder, threads = 1, cache } = options;
  const [detector, recogniser] = await Promise.all([
    loadDetector(detectorFile(folder)),
    loadRecogniser(recogniserFile(folder)),
  ]);
  return new LineReader({
    name: `own-${revision}:${detector.version}+${recogniser.version}`,
    detector: new OwnDetector(detector, { threads }),
    recogniser: new OwnRecogniser(recogniser, { threads }),
    cache,
  });
}

const detectorFile = (folder: string): string => join(folder, 'detector.safetensors');
const recogniserFile = (folder: string): string => join(folder, 'recogniser.safetensors');
