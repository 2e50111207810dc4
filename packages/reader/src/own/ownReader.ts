import type { LineCache } from '../lineCache.js';
import { LineReader } from '../lineReader.js';
import { OwnDetector } from './detector.js';
import { loadDetector } from './detectorWeights.js';
import { OwnRecogniser } from './recogniser.js';
import { loadRecogniser } from './recogniserWeights.js';

export interface OwnReaderOptions {
  /** Paths of the weights that `gyre train reader` wrote. */
  readonly detector: string;
  readonly recogniser: string;
  /** Default 1. */
  readonly threads?: number;
  readonly cache?: LineCache;
}

/** Opens gyre's own reader of English and Chinese screens. Throws `missing` or `corrupt` for unusable weights. */
export async function openOwnReader(options: OwnReaderOptions): Promise<LineReader> {
  const { threads = 1, cache } = options;
  const [detector, recogniser] = await Promise.all([
    loadDetector(options.detector),
    loadRecogniser(options.recogniser),
  ]);
  return new LineReader({
    name: 'gyre-own-1',
    detector: new OwnDetector(detector, { threads }),
    recogniser: new OwnRecogniser(recogniser, { threads }),
    cache,
  });
}
