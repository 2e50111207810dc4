import { pixels } from '@gyre/agent';
import type { Split } from '@gyre/protocol';
import type { LineReader, Screen } from '@gyre/reader';
import type { BrowserPool } from '@gyre/sandbox';
import {
  type MeasuredScreen,
  NoiseMeter,
  type NoiseRate,
  type PageKind,
  type ReadingNoise,
  measuredPages,
} from '@gyre/tasks';
import { type Share, wilson } from '../metrics/statistics.js';
import { type ReaderScores, ReaderTally } from './readerTally.js';
import { TimedReader } from './timedReader.js';

export interface EvaluateReaderOptions {
  readonly kinds: readonly PageKind[];
  /** Pages per kind. */
  readonly pages: number;
  readonly seed: number;
  readonly split: Split;
  readonly signal?: AbortSignal | undefined;
  readonly onPage?: (kind: PageKind, page: number) => void;
}

export interface ReaderResult extends ReaderScores {
  readonly kind: PageKind;
  /** `later` screens follow an action; only what has changed is read. */
  readonly screen: 'first' | 'later';
}

/** A rate of the noise with its interval. */
export interface MeasuredRate extends Share {
  readonly rate: NoiseRate;
  /** Places where the error was possible. */
  readonly chances: number;
}

export interface ReaderEvaluation {
  readonly results: readonly ReaderResult[];
  /** Noise with which a simulated reader makes the same errors, from all first screens. */
  readonly noise: ReadingNoise;
  readonly rates: readonly MeasuredRate[];
}

/** Compares what a reader reads of pages with their words. Intervals are Wilson's, at 95 %. */
export async function evaluateReader(
  reader: LineReader,
  pool: BrowserPool,
  { kinds, pages, seed, split, signal, onPage }: EvaluateReaderOptions,
): Promise<ReaderEvaluation> {
  const timed = new TimedReader(reader);
  const meter = new NoiseMeter();
  const results: ReaderResult[] = [];
  for (const kind of kinds) {
    const [firsts, laters] = [new ReaderTally(), new ReaderTally()];
    let done = 0;
    for await (const [first, later] of measuredPages(pool, { kind, count: pages, seed, split })) {
      if (signal?.aborted) break;
      const screen = await decoded(first);
      const { reading, cost } = await timed.read(screen);
      firsts.add(first.words, reading.lines, cost);
      meter.add(first.words, reading.lines);
      if (later) {
        const next = await timed.read(await decoded(later), { screen, reading });
        laters.add(later.words, next.reading.lines, next.cost);
      }
      onPage?.(kind, ++done);
    }
    results.push({ kind, screen: 'first', ...firsts.scores });
    if (laters.screens > 0) results.push({ kind, screen: 'later', ...laters.scores });
  }
  const rates = Object.entries(meter.rates).map(([rate, { errors, chances }]) => ({
    rate: rate as NoiseRate,
    chances,
    // Added characters can outnumber those of the page.
    ...wilson(Math.min(errors, chances), chances),
  }));
  return { results, noise: meter.noise, rates };
}

async function decoded({ png, size }: MeasuredScreen): Promise<Screen> {
  return { pixels: await pixels({ png, size }), size };
}
